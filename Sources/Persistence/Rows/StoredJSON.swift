import Foundation

/// Values that a column holds as JSON. Equal values give equal text.
enum StoredJSON {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Decodes the result of `text`; nil for other text, which means damage.
  static func value<Value: Decodable>(_: Value.Type = Value.self, of text: String) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  /// The same.
  ///
  /// - Throws: `DamagedRow` for other text.
  static func value<Value: Decodable>(of text: String, column: String) throws -> Value {
    try Damaged.checked(column, value(of: text))
  }
}
