import Foundation
import TestSupport

/// A public declaration with its comment, as the symbol graph of its module has it.
struct PublicSymbol {
  /// A piece of Swift in a comment.
  struct Piece {
    var code: String
    /// The first line of the code, counted from 1.
    var line: Int
  }

  var module: String
  /// The name with those of the types around it.
  var name: String
  var isType: Bool
  /// The path of the source file.
  var file: String
  private var lines: [Line]

  private struct Line {
    var text: String
    /// Counted from 1.
    var number: Int
  }

  /// Whether the comment begins with a sentence.
  var hasContract: Bool {
    guard let first = lines.first?.text, !first.isEmpty else { return false }
    return !first.hasPrefix("```") && !first.hasPrefix(Self.use)
  }

  /// What the comment shows of its use.
  var pieces: [Piece] { fences + uses }

  private var fences: [Piece] {
    var (fences, open): ([Piece], Piece?) = ([], nil)
    for line in lines {
      if var fence = open {
        guard line.text != "```" else {
          fences.append(fence)
          open = nil
          continue
        }
        fence.code += line.text + "\n"
        open = fence
      } else if line.text == "```swift" {
        open = Piece(code: "", line: line.number + 1)
      }
    }
    return fences
  }

  /// Each paragraph ``Use: `EXPRESSION` …``: the expression has a value of the type, or an optional one.
  private var uses: [Piece] {
    guard isType else { return [] }
    return lines.indices.compactMap { index in
      guard lines[index].text.hasPrefix(Self.use) else { return nil }
      let paragraph = lines[index...].prefix { !$0.text.isEmpty }.map(\.text).joined(separator: " ")
      guard let expression = paragraph.firstMatch(of: /`([^`]+)`/) else { return nil }
      return Piece(code: "let _: \(module).\(name)? = \(expression.1)", line: lines[index].number)
    }
  }

  private static let use = "Use: "
}

extension PublicSymbol {
  /// The declarations of symbol graphs.
  static func all(in graphs: [Data]) throws -> [PublicSymbol] {
    try graphs.flatMap { data in
      let graph = try JSONDecoder().decode(SymbolGraph.self, from: data)
      return graph.symbols.map { PublicSymbol($0, of: graph.module.name) }
    }
  }

  private init(_ symbol: SymbolGraph.Symbol, of module: String) {
    self.module = module
    name = symbol.pathComponents.joined(separator: ".")
    isType = Self.kindsOfTypes.contains(symbol.kind.identifier)
    file = symbol.location.flatMap { URL(string: $0.uri)?.path } ?? module
    lines = (symbol.docComment?.lines ?? []).map { Line(text: $0.text, number: ($0.range?.start.line ?? 0) + 1) }
  }

  private static let kindsOfTypes: Set<String> = [
    "swift.actor", "swift.class", "swift.enum", "swift.protocol", "swift.struct", "swift.typealias",
  ]
}

/// The part of a symbol graph that is read here (the format of swift-docc-symbolkit).
private struct SymbolGraph: Decodable {
  struct Module: Decodable {
    var name: String
  }

  struct Symbol: Decodable {
    var kind: Kind
    var pathComponents: [String]
    var docComment: Comment?
    var location: Location?
  }

  struct Kind: Decodable {
    var identifier: String
  }

  struct Comment: Decodable {
    var lines: [CommentLine]
  }

  struct CommentLine: Decodable {
    var text: String
    var range: Range?
  }

  struct Range: Decodable {
    var start: Position
  }

  struct Position: Decodable {
    /// Counted from 0.
    var line: Int
  }

  struct Location: Decodable {
    var uri: String
  }

  var module: Module
  var symbols: [Symbol]
}
