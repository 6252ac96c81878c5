import Flux
import PodfluxCore
import Testing

@testable import WireProtocol

@Suite("A cursor")
struct CursorTests {
  @Test(
    "is a short text",
    arguments: [
      (DownloadOrderKey.added, OrderCursor.Value.none, "az", "Az"),
      (.published, .number(nil), "pz", "Pz"), (.published, .number(-36), "pz.-10", "Pz.-10"),
      (.size, .number(0), "zz.0", "Zz.0"), (.state, .number(5), "sz.5", "Sz.5"),
      (.title, .text(nil), "tz", "Tz"), (.title, .text(""), "tz.", "Tz."), (.title, .text("a?>"), "tz.YT8-", "Tz.YT8-"),
      (.title, .text("ÿ"), "tz.w78", "Tz.w78"), (.position, .rank(2, -1), "qz.2.-1", "Qz.2.-1"),
    ])
  func texts(key: DownloadOrderKey, value: OrderCursor.Value, text: String, reversed: String) {
    #expect(OrderCursor(order: .init(key), value: value, key: 35).text == text)
    #expect(OrderCursor(order: .init(key, isReversed: true), value: value, key: 35).text == reversed)
  }

  @Test("is read as it was written, with any values", arguments: [1, 2, 3] as [UInt64])
  func roundTrips(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let cursor = Self.cursor(&random)
      #expect(OrderCursor(text: cursor.text) == cursor)
    }
    #expect(OrderCursor(text: OrderCursor(order: .init(), value: .none, key: .min).text)?.key == .min)
  }

  @Test("from elsewhere is not believed: another text is another cursor, or none", arguments: [1, 2, 3] as [UInt64])
  func strictness(seed: UInt64) {
    let signs = Array("azAZpPtTqQsS019.-_+=/ ")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      var text = Array(Self.cursor(&random).text)
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: 0...text.count, using: &random)
        if place < text.count, Bool.random(using: &random) {
          text.remove(at: place)
        } else {
          text.insert(signs[Int.random(in: signs.indices, using: &random)], at: place)
        }
      }
      guard let read = OrderCursor(text: String(text)) else { continue }
      #expect(read.text == String(text), "seed \(seed)")
    }
  }

  @Test(
    "is none in other notations",
    arguments: [
      "", "z", ".", "a", "a.", "a+1", "a01", "A-0", "aZ", "az.", "p1.", "p1.01", "t1.YQ=", "t1.Y", "t1./w", "q1",
    ])
  func others(text: String) {
    #expect(OrderCursor(text: text) == nil)
  }

  @Test("of a page's steps is the row's key alone", arguments: [0, 1, -1, 35, 36, .max, .min] as [Int64])
  func pages(key: Int64) {
    #expect(PageCursor(text: PageCursor(key: key).text) == PageCursor(key: key))
    #expect(PageCursor(text: "0" + PageCursor(key: key).text) == nil)
  }

  private static func cursor(_ random: inout SeededGenerator) -> OrderCursor {
    let key = Int64.random(in: .min ... .max, using: &random) >> Int.random(in: 0...63, using: &random)
    let number = Int64.random(in: .min ... .max, using: &random) >> Int.random(in: 0...63, using: &random)
    let isKnown = Bool.random(using: &random)
    let order = DownloadOrder(
      DownloadOrderKey.allCases.randomElement(using: &random) ?? .added, isReversed: Bool.random(using: &random))
    let value: OrderCursor.Value =
      switch order.key {
      case .added: .none
      case .published, .size, .state: .number(isKnown ? number : nil)
      case .title: .text(isKnown ? String(number, radix: 2).replacing("1", with: "é\n") : nil)
      case .position: .rank(Int64.random(in: 0...2, using: &random), number)
      }
    return OrderCursor(order: order, value: value, key: key)
  }
}
