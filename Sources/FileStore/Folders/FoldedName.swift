import Foundation

/// A name as disks compare it that ignore case (NTFS, exFAT) or case and normalization (APFS).
///
/// Folds with Unicode's full case mappings (The Unicode Standard, section 3.13), so that `ß` and `SS` are equal: some
/// disks distinguish them, but no disk confuses two names that this distinguishes. Accents stay. In a name that is not
/// UTF-8 only ASCII letters are folded.
struct FoldedName: Hashable {
  private let bytes: [UInt8]

  init(_ name: some Collection<UInt8>) {
    guard name.contains(where: { $0 >= 0x80 }), let text = String(validating: name, as: UTF8.self) else {
      bytes = name.map(Self.lowercasedASCII)
      return
    }
    let decomposed = text.decomposedStringWithCanonicalMapping
    // Scalar by scalar: the case mapping of a whole text depends on the position of a sigma. To lower case first, since
    // `ẞ` is its own upper case and `ß` is not.
    let plain = decomposed.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    let upper = plain.unicodeScalars.map(\.properties.uppercaseMapping).joined()
    let lower = upper.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    bytes = Array(lower.decomposedStringWithCanonicalMapping.utf8)
  }

  init(_ name: EntryName) {
    self.init(name.bytes)
  }

  /// The part of the name that the cache stores.
  var fingerprint: Int {
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  private static func lowercasedASCII(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
