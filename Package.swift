// swift-tools-version: 6.1
import PackageDescription

/// Arrows point down only: a target may import what stands below it, never what stands above.
let package = Package(
  name: "podflux",
  targets: [
    .target(name: "Flux"),
    .testTarget(name: "FluxTests", dependencies: ["Flux"]),
  ],
  swiftLanguageModes: [.v6]
)
