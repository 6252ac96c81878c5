import Foundation
import Testing

/// The feeds in `Fixtures/feeds`, each for one oddity, and what they are to be read as.
enum FeedCorpus {
  /// A document, by its name without the extension.
  struct Fixture: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    /// The expected reading as JSON; nil if there is none.
    var expected: String?

    var testDescription: String { name }
  }

  static let folder: URL = {
    if let fixtures = ProcessInfo.processInfo.environment["PODFLUX_FIXTURES"] {
      return URL(fileURLWithPath: fixtures).appendingPathComponent("feeds")
    }
    var root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("Fixtures/feeds")
  }()

  /// All, in the order of their names. A folder that cannot be read has none, which a test notices.
  static let all: [Fixture] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".xml") }.sorted().compactMap { file in
      let name = String(file.dropLast(4))
      guard let data = try? Data(contentsOf: folder.appendingPathComponent(file)) else { return nil }
      let expected = try? String(contentsOf: folder.appendingPathComponent(name + ".json"), encoding: .utf8)
      return Fixture(name: name, bytes: Array(data), expected: expected)
    }
  }()
}
