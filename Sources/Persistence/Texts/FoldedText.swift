import Foundation
import Synchronization

/// Text without case and diacritics: the one folding for the search of words, `titleContains` and the order of titles.
///
/// Each scalar is folded by itself: compatibility decomposition (NFKD of UAX #15, so that `é`, `e´` and full width, ligatures
/// and superscripts are the letters that they are made of), without what combines with a letter (canonical combining classes
/// other than 0: accents, breves, Hebrew points, Arabic vowels, kana's voicing), without enclosing marks and what is to be
/// ignored (UAX #44: soft hyphens, joiners, variation selectors); then the lower case of the upper case of the lower case,
/// which makes one of `σ`, `ς` and `Σ`, of `ß`, `ẞ` and `ss`, of `ı`, `i` and `İ`; decomposed again. Vowel signs of Indic
/// scripts and Thai stay: they are letters to people. Letters with strokes (`ł`, `ø`) are letters of their own in Unicode,
/// and here. Order is that of the folded text's code points, no language's own.
///
/// | | folded |
/// |---|---|
/// | `Ёжик`, `Йога` | `ежик`, `иога` |
/// | `Ονείρων`, `ΟΔΟΣ` | `ονειρων`, `οδοσ` |
/// | `Straße`, `ﬁn`, `Ｎ`, `x²` | `strasse`, `fin`, `n`, `x2` |
///
/// Folded twice is folded once, and canonically equivalent texts are folded alike. Folded titles stand in the database: what
/// a scalar is folded to never changes for those that Unicode has assigned (its stability policy).
enum FoldedText {
  /// What stands for letters is packed into so many bytes of a number; few scalars are folded to more.
  private static let packedBytes = 7
  /// How many scalars are folded at once when the first of them is asked for.
  private static let pageScalars: UInt32 = 256
  /// How many pages there are: all of Unicode.
  private static let pages = 0x11_0000 / Int(pageScalars)

  /// What scalars are folded to, page by page: the number of bytes in the lowest byte of each number, the first byte above.
  /// A page that nobody has asked for is empty.
  private static let table = Mutex<[[UInt64]]>(Array(repeating: [], count: pages))
  /// Stands for more bytes than are packed.
  private static let unpacked: UInt64 = 0xFF

  /// The folded text. Cost: linear; some ten nanoseconds for a letter that is not ASCII.
  static func of(_ text: String) -> String {
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

  /// The folded text's bytes.
  static func bytes(of text: String) -> [UInt8] {
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

  /// Whether some bytes stand in others.
  static func contains(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
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

  /// The scalars that letters are made of, without what is put on them.
  private static func bare(_ text: String) -> [Unicode.Scalar] {
    text.decomposedStringWithCompatibilityMapping.unicodeScalars.filter { scalar in
      let properties = scalar.properties
      return properties.canonicalCombiningClass == .notReordered && !properties.isDefaultIgnorableCodePoint
        && properties.generalCategory != .enclosingMark
    }
  }
}
