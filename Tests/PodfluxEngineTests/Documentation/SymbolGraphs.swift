import Foundation
import TestSupport

/// The symbol graphs of the modules that a program can import: their public declarations with their documentation.
struct SymbolGraphs {
  static let modules = ["Flux", "PodfluxCore", "PodfluxEngine", "Tagging"]

  /// The graphs of the built modules. They are extracted once, which takes seconds, for all tests that read them.
  static var ofBuiltModules: SymbolGraphs {
    get async throws { try await extraction.value }
  }

  private static let extraction = Task {
    let folder = try TemporaryFolder("podflux-graphs")
    try await Toolchain.inUse().extractSymbolGraphs(of: modules, into: folder.path)
    return try SymbolGraphs(in: folder.path)
  }

  /// The contents of the files, by their names: `MODULE.symbols.json`, and `MODULE@OTHER.symbols.json` for what a module
  /// adds to types of another.
  private let files: [String: Data]

  private init(in folder: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    files = try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0))) })
  }

  /// All graphs, in the order of their files' names.
  var all: [Data] { files.sorted { $0.key < $1.key }.map(\.value) }

  /// Writes the graphs of some of the modules into a new folder.
  func write(of modules: [String], into folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for (name, graph) in files where modules.contains(where: { $0 == name.prefix { $0 != "@" && $0 != "." } }) {
      try graph.write(to: URL(fileURLWithPath: folder + "/" + name))
    }
  }
}
