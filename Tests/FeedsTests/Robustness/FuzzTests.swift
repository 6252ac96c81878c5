import Flux
import PodfluxCore
import Testing

@testable import Feeds

/// Mutations of the corpus, by a seed. Nothing may trap, hang or keep more than the limits allow, and the pieces in
/// which a document comes may not matter.
@Suite("Mutated feeds")
struct FuzzTests {
  private static let rounds = 1500

  @Test("Mutations are read, whole and in pieces alike", arguments: [UInt64(1), 2, 3, 4])
  func mutations(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixtures = FeedCorpus.all.map(\.bytes)
    try #require(fixtures.count >= 100)
    for round in 0..<Self.rounds {
      guard let first = fixtures.randomElement(using: &random), let second = fixtures.randomElement(using: &random)
      else { return }
      let bytes = Self.mutation(of: first, with: second, using: &random)
      let whole = try Reading(bytes)
      let size = Int.random(in: 1...40, using: &random)
      #expect(try Reading(bytes, pieces: size) == whole, "seed \(seed), round \(round), pieces of \(size)")
      #expect(whole.report?.problems.first.count ?? 0 <= FeedLimits.maximumProblems)
    }
  }

  @Test("Values of any bytes are read or refused", arguments: [UInt64(5), 6])
  func values(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("0123456789:.,+-/ tTzZhmsPpaA&<>#;%?\\éfbJu".unicodeScalars)
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...24, using: &random) {
        text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "0")
      }
      if let seconds = FeedDuration.parse(text) { #expect((0...FeedDuration.maximumSeconds).contains(seconds)) }
      if let date = FeedDate.parse(text) { #expect(PublicationDate.offsets.contains(date.offsetSeconds)) }
      let base = try? WebAddress("https://a.example/b/c")
      if let address = try? URLReference.resolve(text, base: base) {
        #expect(address.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      }
      #expect(PlainText.text(ofHTML: Array(text.utf8)).utf8.count <= text.utf8.count * 3)
    }
  }

  @Test("Notes of any tags and text are notes", arguments: [UInt64(7), 8])
  func notes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let tokens = [
      "<", ">", "/", "\"", "'", "=", " ", "&", ";", "a", "é", "\n", "\u{0}", "\u{85}", "<p>", "</p>", "<b>", "</b>",
      "<ul>", "<li>",
      "</ul>", "<a href=", "</a>", "https://a.example/", "javascript:", "mailto:", "<script>", "</script>", "<!--",
      "-->",
      "<![CDATA[", "]]>", "<td>", "<img alt=", "&lt;", "&#x3C;", "onclick=", "<div/>", "<svg>", "\u{FEFF}", "<h1>",
    ]
    for _ in 0..<10_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...30, using: &random) { text += tokens.randomElement(using: &random) ?? "<" }
      let limit = Bool.random(using: &random) ? 40 : 4000
      let html = NotesHTML.html(text, upTo: limit)
      #expect(NotesGrammar.fault(in: html) == nil && html.utf8.count <= limit, "\(text.debugDescription): \(html)")
    }
  }

  /// Up to eight changes: bytes changed, inserted, removed, repeated, or taken from another document or from `tokens`.
  private static func mutation(of first: [UInt8], with second: [UInt8], using random: inout SeededGenerator) -> [UInt8]
  {
    var bytes = first
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      let length = min(Int.random(in: 0...60, using: &random), bytes.count - place)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.removeSubrange(place..<place + length)
      case 2: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
      case 3:
        let start = Int.random(in: 0...second.count, using: &random)
        bytes.replaceSubrange(place..<place + length, with: second[start...].prefix(120))
      case 4: bytes.insert(contentsOf: (tokens.randomElement(using: &random) ?? "").utf8, at: place)
      default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      }
    }
    return bytes
  }

  private static let tokens = [
    "<", ">", "&", "&amp;", "&#", "&#x", ";", "\"", "'", "=", "/>", "</", "<!", "<!--", "-->", "<![CDATA[", "]]>", "<?",
    "?>", "<!DOCTYPE", "[", "]", "<item>", "</item>", "</channel>", "</rss>", "<entry>", "<feed>", "<rss>", "xmlns=",
    "xmlns:itunes=\"\"", "xml:base=\"../\"", "\u{0}", "\u{FEFF}", "\u{1F600}", "<title>", "<description>", "<script>",
    "</script>", "<guid>", "type=\"xhtml\"",
  ]
}
