import Foundation

/// Values that stand in one column as JSON. The same value gives the same text.
enum StoredJSON {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Reads what `text` has written.
  ///
  /// - Throws: `DamagedRow` where it is something else.
  static func value<Value: Decodable>(of text: String, column: String) throws -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    } catch {
      // Of whatever kind: nothing else stands in its way.
      throw DamagedRow(column: column)
    }
  }
}
