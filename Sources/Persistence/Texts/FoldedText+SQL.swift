import Foundation
import GRDB
import Synchronization
import Texts

/// SQL functions for the folding.
extension FoldedText {
  /// `folded(text)`: the folded text; NULL of NULL.
  static func folding() -> DatabaseFunction {
    DatabaseFunction("folded", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map(of)
    }
  }

  /// `contains_text(folded, json)`: whether a folded text contains one of the texts of a JSON list.
  static func containing() -> DatabaseFunction {
    // Each row passes the same texts: they are folded once.
    let last = Mutex<(json: String, parts: [[UInt8]])>(("", []))
    return DatabaseFunction("contains_text", argumentCount: 2, pure: true) { values in
      guard let text = String.fromDatabaseValue(values[0]), let json = String.fromDatabaseValue(values[1]) else {
        return false
      }
      let parts = try last.withLock { last in
        if last.json != json {
          last = (json, try JSONDecoder().decode([String].self, from: Data(json.utf8)).map { FoldedText.bytes(of: $0) })
        }
        return last.parts
      }
      let bytes = Array(text.utf8)
      return parts.contains { contains($0, in: bytes) }
    }
  }
}
