import Foundation
import Testing

/// The packages of which a target of this one links a product, as Package.swift says it: itself, or by other targets.
enum LinkedPackages {
  static func of(target: String) throws -> Set<String> {
    let file = Packaging.sources.appendingPathComponent("Package.swift")
    let targets = try targets(in: String(contentsOf: file, encoding: .utf8))
    var (packages, seen, next) = (Set<String>(), Set<String>(), [target])
    while let name = next.popLast() {
      guard seen.insert(name).inserted, let found = targets[name] else { continue }
      packages.formUnion(found.packages)
      next += found.targets
    }
    try #require(seen.count > 1, "Package.swift has no target \(target) with dependencies")
    return packages
  }

  private struct Dependencies {
    var packages: [String] = []
    var targets: [String] = []
  }

  /// The dependencies of each target by its name.
  private static func targets(in manifest: String) -> [String: Dependencies] {
    var targets: [String: Dependencies] = [:]
    let declaration = /\.(?:executableTarget|target)\(\s*name: "(.+?)",\s*dependencies: \[/
    for match in manifest.matches(of: declaration) {
      let list = manifest[match.range.upperBound...].prefix { $0 != "]" }
      let product = /\.product\(name: ".+?", package: "(.+?)"\)/
      targets[String(match.output.1)] = Dependencies(
        packages: list.matches(of: product).map { String($0.output.1) },
        targets: list.replacing(product, with: "").matches(of: /"(.+?)"/).map { String($0.output.1) })
    }
    return targets
  }
}
