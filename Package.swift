// swift-tools-version: 6.1
import PackageDescription

/// Arrows point down only: a target may import what stands below it, never what stands above.
let package = Package(
  name: "podflux",
  products: [
    .library(name: "PodfluxEngine", targets: ["PodfluxCore", "PodfluxEngine", "Tagging"]),
    .executable(name: "podflux", targets: ["podflux"]),
    .executable(name: "podflux-demo", targets: ["podflux-demo"]),
    .executable(name: "podflux-bench", targets: ["podflux-bench"]),
    .executable(name: "podflux-sim", targets: ["podflux-sim"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // The product.
    .executableTarget(
      name: "podflux",
      dependencies: [
        "CLinux", "CSQLite", "Digests", "PodfluxClient", "PodfluxEngine", "PodfluxPeople", "Processes",
        "PrometheusMetrics", "Tagging", "Terminal", "WireProtocol",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "PodfluxPeople",
      dependencies: [
        "CLinux", "PodfluxClient", "PodfluxCore", "Terminal", "Texts", "WireProtocol",
        .product(name: "Yams", package: "Yams"),
      ]),
    .target(name: "PodfluxClient", dependencies: ["PodfluxCore", "WireProtocol"]),
    .target(
      name: "PodfluxEngine",
      dependencies: [
        "CLinux", "Digests", "EngineRuntime", "Feeds", "FileNames", "FileStore", "Flux", "Persistence", "PodfluxCore",
        "Reachability", "Tagging", "Transfers", "Vault", "WireProtocol",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "PrometheusMetrics",
      dependencies: ["CLinux", .product(name: "CoreMetrics", package: "swift-metrics")]),
    .target(name: "WireProtocol", dependencies: ["Flux", "PodfluxCore", "Texts"]),
    .target(
      name: "Transfers",
      dependencies: ["CBrotli", "CCurl", "CLinux", "CZlib", "EngineRuntime", "Flux", "PodfluxCore"]),
    .target(name: "Vault", dependencies: ["CCrypto", "Digests", "EngineRuntime", "FileStore", "Flux", "PodfluxCore"]),
    .target(name: "Feeds", dependencies: ["Flux", "PodfluxCore", "Texts"]),
    .target(name: "EngineRuntime", dependencies: ["Digests", "Feeds", "Flux", "PodfluxCore", "Texts"]),
    .target(name: "FileNames", dependencies: ["PodfluxCore"]),
    .target(name: "FileStore", dependencies: ["CLinux", "Flux", "PodfluxCore"]),
    .target(name: "Tagging", dependencies: ["CLinux", "CTagging", "Digests", "PodfluxCore", "Processes"]),
    .target(name: "Processes", dependencies: ["CLinux"]),
    .target(name: "Reachability", dependencies: ["CLinux", "PodfluxCore"]),
    .target(
      name: "Persistence",
      dependencies: ["CSQLite", "Flux", "PodfluxCore", "Texts", .product(name: "GRDB", package: "GRDB.swift")]),
    .target(name: "Texts"),
    .target(name: "Digests", dependencies: ["CCrypto", "PodfluxCore"]),
    .target(name: "PodfluxCore", dependencies: ["Flux"]),
    .target(name: "Flux"),
    .target(name: "Terminal"),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CTagLib", pkgConfig: "taglib", providers: [.apt(["libtag1-dev"])]),
    .target(name: "CTagging", dependencies: ["CTagLib"]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // What tests, demo and benchmarks share.
    .target(
      name: "ScriptedOrigin",
      dependencies: [
        "CCrypto", "CTLS",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .target(name: "TestSupport", dependencies: ["CLinux"]),
    .executableTarget(name: "podflux-demo", dependencies: ["ScriptedOrigin", "Terminal", "TestSupport", "podflux"]),
    .systemLibrary(name: "CTLS", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .executableTarget(
      name: "podflux-bench",
      dependencies: [
        "CCurl", "PodfluxCore", "PodfluxEngine", "ScriptedOrigin", "TestSupport", "podflux",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "PodfluxSimulation",
      dependencies: ["Digests", "EngineRuntime", "FileNames", "Flux", "Persistence", "PodfluxCore", "WireProtocol"]),
    .executableTarget(
      name: "podflux-sim",
      dependencies: [
        "CSQLite", "PodfluxSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    .target(name: "TestScheduling", path: "Tests/TestScheduling"),
    .target(name: "TestActions", dependencies: ["PodfluxCore"], path: "Tests/TestActions"),
    .systemLibrary(
      name: "CBrotliEncoder", path: "Tests/CBrotliEncoder", pkgConfig: "libbrotlienc",
      providers: [.apt(["libbrotli-dev"])]),
    .target(name: "CTagReader", dependencies: ["CTagLib"], path: "Tests/CTagReader"),
    .target(name: "TagReading", dependencies: ["CTagReader", "ScriptedOrigin"], path: "Tests/TagReading"),
    .testTarget(
      name: "TaggingTests",
      dependencies: ["CZlib", "Flux", "PodfluxCore", "TagReading", "Tagging", "TestSupport", "podflux"]),
    .testTarget(name: "FluxTests", dependencies: ["Flux", "TestSupport"]),
    .testTarget(name: "TerminalTests", dependencies: ["Terminal"]),
    .testTarget(name: "DigestsTests", dependencies: ["Digests", "Flux", "PodfluxCore"]),
    .testTarget(
      name: "PodfluxCoreTests",
      dependencies: [
        "Flux", "Persistence", "PodfluxCore", "TestActions", "Texts", .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "EngineRuntimeTests",
      dependencies: [
        "Digests", "EngineRuntime", "Feeds", "Flux", "Persistence", "PodfluxCore", "TestActions", "TestSupport",
      ]),
    .testTarget(
      name: "PersistenceTests",
      dependencies: [
        "Flux", "Persistence", "PodfluxCore", "TestActions", "Texts", .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "VaultTests", dependencies: ["EngineRuntime", "Flux", "PodfluxCore", "TestSupport", "Vault"]),
    // libFuzzer's entry point is compiled by a test, with the sources of Feeds.
    .testTarget(name: "FeedsTests", dependencies: ["Feeds", "Flux", "PodfluxCore"], exclude: ["Fuzzing"]),
    .testTarget(name: "FileNamesTests", dependencies: ["FileNames", "PodfluxCore"]),
    .testTarget(name: "FileStoreTests", dependencies: ["FileStore", "Flux", "PodfluxCore", "TestSupport"]),
    .testTarget(
      name: "ReachabilityTests",
      dependencies: ["CLinux", "PodfluxCore", "Reachability", "TestScheduling", "TestSupport"]),
    .testTarget(
      name: "TransfersTests",
      dependencies: [
        "CBrotliEncoder", "CCurl", "CZlib", "EngineRuntime", "Transfers", "PodfluxCore", "ScriptedOrigin",
        "Flux", "TestScheduling", "TestSupport", "Vault",
      ]),
    .testTarget(
      name: "PodfluxEngineTests",
      dependencies: [
        "EngineRuntime", "FileStore", "Flux", "Persistence", "PodfluxCore", "PodfluxEngine", "ScriptedOrigin",
        "Tagging", "TestActions", "TestSupport", "Vault", "WireProtocol", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(name: "PodfluxClientTests", dependencies: ["PodfluxClient", "PodfluxCore", "WireProtocol"]),
    .testTarget(
      name: "PodfluxPeopleTests",
      dependencies: ["Flux", "PodfluxClient", "PodfluxCore", "PodfluxPeople", "TestSupport", "Texts", "WireProtocol"]),
    .testTarget(name: "WireProtocolTests", dependencies: ["TestActions", "TestSupport", "WireProtocol"]),
    .testTarget(
      name: "PodfluxSimulationTests",
      dependencies: [
        "EngineRuntime", "Flux", "Persistence", "PodfluxCore", "PodfluxSimulation", "TestActions", "TestScheduling",
        "TestSupport", "podflux-sim",
      ]),
    .testTarget(
      name: "PrometheusMetricsTests",
      dependencies: [
        "PrometheusMetrics", "TestScheduling", "TestSupport", .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    .testTarget(name: "ScriptedOriginTests", dependencies: ["ScriptedOrigin", "TestScheduling"]),
    .testTarget(
      name: "PodfluxTests",
      dependencies: [
        "ScriptedOrigin", "TagReading", "TestScheduling", "TestSupport", "podflux",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// What is tested is optimized, the tests are not: that would take half of their build.
for target in package.targets where target.type == .test {
  target.swiftSettings = [.unsafeFlags(["-Onone"])]
}
