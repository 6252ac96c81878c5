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

  /// `begins_word(folded, folded)`: whether a word of a folded text begins with another one.
  static func beginningWord() -> DatabaseFunction {
    DatabaseFunction("begins_word", argumentCount: 2, pure: true) { values in
      guard let text = String.fromDatabaseValue(values[0]), let word = String.fromDatabaseValue(values[1]) else {
        return false
      }
      return beginsWord(of: text, with: word)
    }
  }

  /// Whether a word of a folded text begins with a folded word, as `TextQuery` finds it in the index of downloads.
  static func beginsWord(of text: String, with word: String) -> Bool {
    let (text, word) = (Array(text.utf8), Array(word.utf8))
    guard let first = word.first, word.count <= text.count else { return word.isEmpty }
    return (0...text.count - word.count).contains { start in
      text[start] == first && text[start...].starts(with: word) && !endsInWord(text[..<start])
    }
  }

  /// Whether a text ends with a scalar of a word: see `Schema.textTokenizer`.
  private static func endsInWord(_ text: ArraySlice<UInt8>) -> Bool {
    guard let last = String(decoding: text.suffix(4), as: UTF8.self).unicodeScalars.last else { return false }
    switch last.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .privateUse, .nonspacingMark, .spacingMark, .enclosingMark:
      return true
    default: return false
    }
  }
}
