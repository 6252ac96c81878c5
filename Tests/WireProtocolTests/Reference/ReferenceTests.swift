import Foundation
import PodfluxCore
import Testing

/// `PODFLUX_WRITE_REFERENCE=1` makes these tests write what they compare otherwise.
@Suite("The reference")
struct ReferenceTests {
  private static let folder = Repository.root.appending(path: "Sources/PodfluxEngine/PodfluxEngine.docc")

  private static let tables: [(name: String, make: @Sendable () throws -> String)] = [
    ("settings", ReferenceTables.settings), ("actions", ReferenceTables.actions), ("errors", ReferenceTables.errors),
    ("waitingReasons", ReferenceTables.waitingReasons), ("itemFields", ReferenceTables.itemFields),
  ]

  @Test("has the tables that follow from the declarations")
  func blocks() throws {
    var found: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
    where file.pathExtension == "md" {
      let text = try String(contentsOf: file, encoding: .utf8)
      var expected = text
      for (name, make) in Self.tables {
        guard let start = expected.range(of: "<!-- generated: \(name) -->\n") else { continue }
        let end = try #require(
          expected.range(of: "<!-- end -->", range: start.upperBound..<expected.endIndex), "\(file.path): \(name)")
        expected.replaceSubrange(start.upperBound..<end.lowerBound, with: "\n" + (try make()) + "\n\n")
        found.insert(name)
      }
      if Repository.isWritingReference, text != expected {
        try expected.write(to: file, atomically: true, encoding: .utf8)
      } else {
        #expect(text == expected, "\(file.lastPathComponent) is not what PODFLUX_WRITE_REFERENCE=1 writes")
      }
    }
    #expect(found == Set(Self.tables.map(\.name)))
  }

  @Test("names each key of feeds and episodes")
  func items() throws {
    let article = try String(contentsOf: Self.folder.appending(path: "Protocol.md"), encoding: .utf8)
    for key in FeedField.allCases.map(\.rawValue) + EpisodeField.allCases.map(\.rawValue) {
      #expect(article.contains("`\(key)`"), "\(key)")
    }
  }

  @Test("has a sentence for each setting, action, code and reason")
  func sentences() throws {
    let rows = try Self.tables.map { try $0.make() }.joined(separator: "\n").split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
    #expect(rows.count > 100)
    for row in rows { #expect(row.hasSuffix(". |"), "\(row)") }
  }
}
