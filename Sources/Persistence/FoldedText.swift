import Foundation
import GRDB
import Synchronization

/// Text without case and diacritics, as far as looking for a part of it goes.
enum FoldedText {
  /// The text's letters in lower case, without marks, as bytes.
  static func of(_ text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
    var folded = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
    where scalar.properties.generalCategory != .nonspacingMark {
      // A letter in lower case may be one with a mark again, such as the Turkish dotted I.
      folded += scalar.properties.lowercaseMapping.unicodeScalars.lazy.filter {
        $0.properties.generalCategory != .nonspacingMark
      }
    }
    return Array(String(folded).utf8)
  }

  /// Whether some bytes stand in others.
  static func contains(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= bytes.count else { return false }
    return (0...bytes.count - part.count).contains { start in
      bytes[start] == first && bytes[start...].starts(with: part)
    }
  }

  /// `title_contains(title, json)`: whether the title has one of the texts of a JSON list in it.
  static func function() -> DatabaseFunction {
    // Each row asks for the same texts: they are folded once.
    let last = Mutex<(json: String, parts: [[UInt8]])>(("", []))
    return DatabaseFunction("title_contains", argumentCount: 2, pure: true) { values in
      guard let title = String.fromDatabaseValue(values[0]), let json = String.fromDatabaseValue(values[1]) else {
        return false
      }
      let parts = try last.withLock { last in
        if last.json != json {
          last = (json, try JSONDecoder().decode([String].self, from: Data(json.utf8)).map(of))
        }
        return last.parts
      }
      let folded = of(title)
      return parts.contains { contains($0, in: folded) }
    }
  }
}
