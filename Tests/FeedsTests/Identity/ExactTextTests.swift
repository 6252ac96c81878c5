import Testing

@testable import Feeds

@Suite("A text that is compared byte for byte")
struct ExactTextTests {
  /// Spellings of one letter with accents of different combining classes, whose order means nothing in Unicode.
  private static let spellings: [String] = {
    var orders: [[Unicode.Scalar]] = [[]]
    for accent in ["\u{334}", "\u{327}", "\u{316}", "\u{300}", "\u{345}"] as [Unicode.Scalar] {
      orders = orders.flatMap { order in
        (0...order.count).map { place in
          var longer = order
          longer.insert(accent, at: place)
          return longer
        }
      }
    }
    return orders.map { order in
      var text = String.UnicodeScalarView("a".unicodeScalars)
      text.append(contentsOf: order)
      return String(text)
    }
  }()

  /// Strings that are equal in normal form have one hash: a feed with a hundred thousand such guids would cost the
  /// square of their number.
  @Test("Texts that are equal in normal form only are different, and so are their hashes")
  func normalForms() {
    #expect(Self.spellings.count == 120)
    #expect(Set(Self.spellings).count == 1)
    let texts = Self.spellings.map(ExactText.init)
    #expect(Set(texts).count == texts.count)
    #expect(Set(texts.map(\.hashValue)).count == texts.count)
  }

  @Test("Equal texts are equal, however they are kept, and have one hash")
  func equality() {
    let long = ExactText(String(repeating: "guid ", count: 10))
    let cut = ExactText(String("x\(String(repeating: "guid ", count: 10))".dropFirst()))
    #expect(long == cut)
    #expect(long.hashValue == cut.hashValue)
    #expect(ExactText("") == ExactText(""))
    #expect(ExactText("a") != ExactText("ab"))
  }
}
