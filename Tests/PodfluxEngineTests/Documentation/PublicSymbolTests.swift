import Foundation
import TestSupport
import Testing

/// Checks what `DocumentationTests` reads of comments, by a module that is made up.
@Suite("What comments of public declarations show")
struct PublicSymbolTests {
  /// The declarations of a module with one type for each comment.
  private func symbols(_ comments: [String?]) throws -> [PublicSymbol] {
    let symbols = comments.enumerated().map { index, comment in
      var symbol: [String: Any] = [
        "kind": ["identifier": "swift.struct"], "pathComponents": ["Outer", "Type\(index)"],
        "location": ["uri": "file:///made/up.swift"],
      ]
      let lines = comment.map { $0.split(separator: "\n", omittingEmptySubsequences: false) } ?? []
      if comment != nil {
        symbol["docComment"] = [
          "lines": lines.enumerated().map { line, text in
            ["text": String(text), "range": ["start": ["line": 10 + line, "character": 4]]] as [String: Any]
          }
        ]
      }
      return symbol
    }
    let graph: [String: Any] = ["module": ["name": "MadeUp"], "symbols": symbols]
    return try PublicSymbol.all(in: [JSONSerialization.data(withJSONObject: graph)])
  }

  @Test("A comment that is missing, or begins with code, has no contract")
  func contracts() throws {
    let symbols = try symbols([nil, "```swift\nf()\n```", "Use: `f()`.", "A contract.\n\nUse: `f()`."])
    #expect(symbols.map(\.hasContract) == [false, false, false, true])
    #expect(symbols.allSatisfy { $0.isType && $0.file == "/made/up.swift" } && symbols[3].name == "Outer.Type3")
  }

  @Test("Fences of Swift, and the code of paragraphs of use, are pieces with the numbers of their lines")
  func pieces() throws {
    let symbols = try symbols([
      "A contract.", "A contract. Use: `f()`.\n\n```json\n{}\n```",
      "A contract.\n\n```swift\nf()\ng()\n```\n\n```swift\nh()\n```",
      "A contract.\n\nUse: what\n`g(1)` gives, not `h()`.",
    ])
    #expect(
      symbols.map { $0.pieces.map(\.code) } == [
        [], [], ["f()\ng()\n", "h()\n"], ["let _: MadeUp.Outer.Type3? = g(1)"],
      ])
    #expect(symbols.map { $0.pieces.map(\.line) } == [[], [], [14, 19], [13]])
  }

  @Test("A piece that no other package compiles is refused, by its file and line")
  func wrongPieces() throws {
    var program = EmbeddingProgram()
    program.add("let _: PodfluxCore.Download? = download", from: "/made/right.swift", line: 7)
    program.add("let _: PodfluxCore.Download? = feed", from: "/made/wrong.swift", line: 42)
    program.add("print(\n  podflux.engine)", from: "/made/hidden.swift", line: 1)
    let folder = try TemporaryFolder("podflux-embedding")
    try program.text.write(toFile: folder.path + "/program.swift", atomically: false, encoding: .utf8)
    let outcome = try Toolchain.inUse().typecheck(folder.path + "/program.swift")
    #expect(outcome.status != 0 && !outcome.output.contains("/made/right.swift"))
    #expect(outcome.output.contains("/made/wrong.swift:42:") && outcome.output.contains("/made/hidden.swift:2:"))
  }
}
