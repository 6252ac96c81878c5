import Foundation
import Synchronization

/// Text without case and diacritics: the one folding for the search of words, `titleContains` and the order of titles.
///
/// Each scalar is folded independently: compatibility decomposition (NFKD of UAX #15, so that `é`, `e´` and full width,
/// ligatures and superscripts become the letters that they consist of), without combining characters (canonical
/// combining classes other than 0: accents, breves, Hebrew points, Arabic vowels, kana's voicing), without enclosing
/// marks and ignorable characters (UAX #44: soft hyphens, joiners, variation selectors); then the lower case of the
/// upper case of the lower case, which unifies `σ`, `ς` and `Σ`, of `ß`, `ẞ` and `ss`, of `ı`, `i` and `İ`; decomposed
/// again. Vowel signs of Indic scripts and Thai stay: readers see them as letters. Letters with strokes (`ł`, `ø`) are
/// letters of their own in Unicode, and here. Texts are ordered by folded code points, not by a language's rules.
///
/// | | folded |
/// |---|---|
/// | `Ёжик`, `Йога` | `ежик`, `иога` |
/// | `Ονείρων`, `ΟΔΟΣ` | `ονειρων`, `οδοσ` |
/// | `Straße`, `ﬁn`, `Ｎ`, `x²` | `strasse`, `fin`, `n`, `x2` |
///
/// Folding is idempotent, and gives equal results for canonically equivalent texts. The database contains folded
/// titles: the folding of an assigned scalar never changes (Unicode's stability policy).
package enum FoldedText {
  /// The UTF-8 of a scalar's folding is packed into this many bytes of a number; few foldings are longer.
  private static let packedBytes = 7
  /// How many scalars are folded at once when the first of them is needed.
  private static let pageScalars: UInt32 = 256
  /// The number of pages for all of Unicode.
  private static let pages = 0x11_0000 / Int(pageScalars)

  /// The foldings, page by page: the lowest byte of each number holds the length, the next byte the first byte. A page
  /// that is not yet needed is empty.
  private static let table = Mutex<[[UInt64]]>(Array(repeating: [], count: pages))
  /// Marks a folding that is too long to pack.
  private static let unpacked: UInt64 = 0xFF

  /// The folded text. Cost: linear; some ten nanoseconds for a letter that is not ASCII.
  package static func of(_ text: String) -> String {
    var text = text
    let ascii: String? = text.withUTF8 { bytes in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      return String(unsafeUninitializedCapacity: bytes.count) { folded in
        for (index, byte) in bytes.enumerated() { folded[index] = lowercased(byte) }
        return bytes.count
      }
    }
    return ascii ?? String(decoding: bytes(of: text), as: UTF8.self)
  }

  package static func bytes(of text: String) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.utf8.count)
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in text.utf8 { folded.append(lowercased(byte)) }
      return folded
    }
    table.withLock { table in
      for scalar in text.unicodeScalars {
        let (page, place) = (Int(scalar.value / pageScalars), Int(scalar.value % pageScalars))
        if table[page].isEmpty { table[page] = packedPage(page) }
        var packed = table[page][place]
        if packed == unpacked {
          folded += Self.folded(scalar)
          continue
        }
        for _ in 0..<(packed & 0xFF) {
          packed >>= 8
          folded.append(UInt8(truncatingIfNeeded: packed))
        }
      }
    }
    return folded
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Whether the bytes contain a sequence.
  package static func contains(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= bytes.count else { return false }
    return (0...bytes.count - part.count).contains { start in
      bytes[start] == first && bytes[start...].starts(with: part)
    }
  }

  // MARK: One scalar

  private static func packedPage(_ page: Int) -> [UInt64] {
    (0..<pageScalars).map { place in
      guard let scalar = Unicode.Scalar(UInt32(page) * pageScalars + place) else { return 0 }
      let bytes = folded(scalar)
      guard bytes.count <= packedBytes else { return unpacked }
      return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } << 8 | UInt64(bytes.count)
    }
  }

  private static func folded(_ scalar: Unicode.Scalar) -> [UInt8] {
    if scalar.isASCII { return [lowercased(UInt8(scalar.value))] }
    let cased = bare(String(scalar)).flatMap { scalar in
      scalar.properties.lowercaseMapping.unicodeScalars.flatMap { lower in
        lower.properties.uppercaseMapping.unicodeScalars.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
      }
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: cased)
    var folded = String.UnicodeScalarView()
    folded.append(contentsOf: bare(String(text)))
    return Array(String(folded).utf8)
  }

  /// The base letters of a text, without marks.
  private static func bare(_ text: String) -> [Unicode.Scalar] {
    text.decomposedStringWithCompatibilityMapping.unicodeScalars.filter { scalar in
      let properties = scalar.properties
      return properties.canonicalCombiningClass == .notReordered && !properties.isDefaultIgnorableCodePoint
        && properties.generalCategory != .enclosingMark
    }
  }
}
