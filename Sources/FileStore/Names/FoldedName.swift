import Foundation

/// A name as disks compare it that tell neither case nor normalization apart: NTFS and exFAT the one, APFS both.
///
/// Folds by Unicode's full case mappings (The Unicode Standard, section 3.13), so that `ß` and `SS` are one too: some disks
/// tell those apart, but none takes two names for one that this tells apart. Accents stay. A name that is no UTF-8 has its
/// ASCII letters folded.
struct FoldedName: Hashable {
  private let bytes: [UInt8]

  init(_ name: some Collection<UInt8>) {
    guard name.contains(where: { $0 >= 0x80 }), let text = String(validating: name, as: UTF8.self) else {
      bytes = name.map(Self.lowercasedASCII)
      return
    }
    let decomposed = text.decomposedStringWithCanonicalMapping
    // Letter by letter: the case of a whole text depends on where a sigma stands.
    // To lower case first, since `ẞ` is its own upper case and `ß` is not.
    let plain = decomposed.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    let upper = plain.unicodeScalars.map(\.properties.uppercaseMapping).joined()
    let lower = upper.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    bytes = Array(lower.decomposedStringWithCanonicalMapping.utf8)
  }

  init(_ name: EntryName) {
    self.init(name.bytes)
  }

  /// What an index keeps of it.
  var fingerprint: Int {
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  private static func lowercasedASCII(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
