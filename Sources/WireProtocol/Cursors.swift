import FoundationEssentials
import PodfluxCore

/// A cursor as clients see it: opaque, so that what is in it may change.
protocol TextualCursor: Sendable {
  /// What texts there are.
  static var schema: ValueSchema { get }

  /// The cursor as text.
  var text: String { get }

  /// Reads a cursor; nil if it is not one that `text` gave.
  init?(text: String)
}

/// A cursor of a list whose order a client chooses.
protocol OrderedCursor: TextualCursor, Hashable {
  associatedtype Key: ListOrderKey

  var order: ListOrder<Key> { get }
}

/// An order as clients see it: its key, with `-` in front if the last comes first.
extension ListOrder {
  /// The order as text.
  var text: String { (isReversed ? "-" : "") + key.rawValue }

  /// Reads an order; nil if there is no such one.
  package init?(text: String) {
    guard let key = Key(rawValue: String(text.drop { $0 == "-" })) else { return nil }
    self.init(key, isReversed: text.hasPrefix("-"))
    guard self.text == text else { return nil }
  }
}

extension PageCursor: TextualCursor {
  static let schema = ValueSchema.definition("cursor")

  var text: String { key.compact }

  package init?(text: String) {
    guard let key = Int64(compact: text) else { return nil }
    self.init(key: key)
  }
}

/// A cursor of an ordered list: a letter for the order, a capital if it is reversed, the row's key, and what the order
/// looks at, if there is anything, each behind a dot. Texts are in the base64 of RFC 4648 section 5 without padding.
///
/// Another notation in times to come has other letters.
extension OrderCursor: OrderedCursor {
  static let schema = ValueSchema.definition("orderCursor")

  var text: String {
    let letter = Self.letter(of: order.key)
    let beginning = (order.isReversed ? letter.uppercased() : letter) + key.compact
    switch value {
    case .none, .number(nil), .text(nil): return beginning
    case .number(let number?): return "\(beginning).\(number.compact)"
    case .text(let text?): return "\(beginning).\(text.base64URL)"
    case .rank(let priority, let position): return "\(beginning).\(priority.compact).\(position.compact)"
    }
  }

  package init?(text: String) {
    guard let letter = text.first,
      let order = DownloadOrderKey.allCases.first(where: { Self.letter(of: $0) == letter.lowercased() })
    else { return nil }
    let words = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let key = words.first.flatMap(Int64.init(compact:)), let value = Value(of: order, words.dropFirst()) else {
      return nil
    }
    self.init(order: DownloadOrder(order, isReversed: letter.isUppercase), value: value, key: key)
    guard self.text == text else { return nil }
  }

  private static func letter(of key: DownloadOrderKey) -> String {
    switch key {
    case .added: "a"
    case .published: "p"
    case .title: "t"
    case .size: "z"
    case .state: "s"
    case .position: "q"
    }
  }
}

extension OrderCursor.Value {
  /// Reads what an order looks at; nil if it does not look at that.
  fileprivate init?(of order: DownloadOrderKey, _ words: ArraySlice<String>) {
    let words = Array(words)
    switch (order, words.count) {
    case (.added, 0): self = .none
    case (.published, 0), (.size, 0), (.state, 0): self = .number(nil)
    case (.published, 1), (.size, 1), (.state, 1):
      guard let number = Int64(compact: words[0]) else { return nil }
      self = .number(number)
    case (.title, 0): self = .text(nil)
    case (.title, 1):
      guard let text = String(base64URL: words[0]), text.utf8.count <= Field.maximumLabelBytes else { return nil }
      self = .text(text)
    case (.position, 2):
      guard let priority = Int64(compact: words[0]), let position = Int64(compact: words[1]) else { return nil }
      self = .rank(priority, position)
    default: return nil
    }
  }
}

/// A cursor of a list of feeds or episodes: the order, the row's key, and what the order looks at, each behind a dot.
extension ListCursor: OrderedCursor {
  static var schema: ValueSchema {
    let (keys, number) = (Key.allCases.map(\.rawValue).joined(separator: "|"), Int64.compactPattern)
    return .string(0...2048, pattern: #"^-?(\#(keys))\.\#(number)(\.(n\#(number)|t[A-Za-z0-9_-]*))?$"#)
  }

  var text: String {
    let beginning = "\(order.text).\(key.compact)"
    switch value {
    case .number(let number?): return "\(beginning).n\(number.compact)"
    case .text(let text?): return "\(beginning).t\(text.base64URL)"
    case .none, .number(nil), .text(nil), .rank: return beginning
    }
  }

  package init?(text: String) {
    let words = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard (2...3).contains(words.count), let order = ListOrder<Key>(text: words[0]), let key = Int64(compact: words[1])
    else { return nil }
    var value = OrderCursor.Value.none
    if words.count == 3 {
      let rest = String(words[2].dropFirst())
      switch words[2].first {
      case "n":
        guard let number = Int64(compact: rest) else { return nil }
        value = .number(number)
      case "t":
        guard let title = String(base64URL: rest), title.utf8.count <= Field.maximumLabelBytes else { return nil }
        value = .text(title)
      default: return nil
      }
    }
    self.init(order: order, value: value, key: key)
    guard self.text == text else { return nil }
  }
}

extension Int64 {
  private static let radix = 36
  /// What `compact` gives.
  fileprivate static let compactPattern = "(0|-?[1-9a-z][0-9a-z]{0,12})"

  /// In as few characters as digits and small letters allow.
  var compact: String { String(self, radix: Self.radix) }

  /// Reads a number; nil if it is not one that `compact` gave.
  init?(compact text: String) {
    self.init(text, radix: Self.radix)
    guard compact == text else { return nil }
  }
}

extension String {
  var base64URL: String {
    Data(utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Reads a text; nil if it is not one that `base64URL` gave.
  init?(base64URL text: String) {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let data = Data(base64Encoded: base64) else { return nil }
    self.init(validating: data, as: UTF8.self)
    guard base64URL == text else { return nil }
  }
}
