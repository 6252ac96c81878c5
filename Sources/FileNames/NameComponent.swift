import Foundation
import PodfluxCore

/// Turns untrusted text into one path component.
///
/// In portable mode the result is one that SMB, NTFS and exFAT accept: see `PortableName`.
enum NameComponent {
  /// Text beyond this length is ignored; a component holds 255 bytes.
  private static let maximumScalars = 4096
  /// The first scalar that may combine with one before it: all below are in NFC (Unicode Standard Annex 15, section 9).
  private static let firstCombining: UInt32 = 0x300

  /// The text in NFC, without separators, control characters, leading dots, runs of blanks, and blanks or dots at its
  /// end, or nil if that is empty.
  static func clean(_ text: String, portably: Bool) -> String? {
    var scalars = String.UnicodeScalarView()
    var isNormalized = true
    for scalar in text.unicodeScalars.prefix(maximumScalars) {
      guard let kept = replacement(for: scalar, portably: portably) else { continue }
      if kept == " " && scalars.last == " " { continue }
      if kept.value >= firstCombining { isNormalized = false }
      scalars.append(kept)
    }
    // Normalizes last, since a removed character may have separated a letter from its accent.
    let normalized = isNormalized ? String(scalars) : String(scalars).precomposedStringWithCanonicalMapping
    let visible = normalized.unicodeScalars.drop { isEdge($0) || $0.isIgnorable }
    return trimmedAtEnd(String(visible)).map { portably ? withoutDeviceName($0) : $0 }
  }

  /// A folder's name: cleaned, and truncated to what a component holds; nil if nothing is left.
  static func folder(_ text: String, portably: Bool) -> String? {
    clean(text, portably: portably).flatMap { cut($0, toBytes: LibraryPath.maximumComponentBytes) }
  }

  /// Truncates to at most `limit` bytes at a character boundary; nil if nothing is left.
  static func cut(_ text: String, toBytes limit: Int) -> String? {
    guard text.utf8.count > limit else { return text }
    var end = text.startIndex
    var room = limit
    while end < text.endIndex {
      let next = text.index(after: end)
      room -= text.utf8.distance(from: end, to: next)
      if room < 0 { break }
      end = next
    }
    return trimmedAtEnd(String(text[..<end]))
  }

  private static func replacement(for scalar: Unicode.Scalar, portably: Bool) -> Unicode.Scalar? {
    if scalar == "/" || scalar == "\\" { return "-" }
    if portably, let substitute = PortableName.substitute(for: scalar) { return substitute }
    // Looking up properties is slow, and each file that is published gets a name.
    if scalar.isASCII { return scalar.isUnprintable ? " " : scalar }
    if scalar.properties.isBidiControl { return nil }
    return scalar.properties.isWhitespace || scalar.isUnprintable ? " " : scalar
  }

  private static func isEdge(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isDotLike || (scalar.isASCII ? scalar == " " : scalar.properties.isWhitespace)
  }

  private static func trimmedAtEnd(_ text: String) -> String? {
    guard let last = text.unicodeScalars.lastIndex(where: { !isEdge($0) }) else { return nil }
    return String(text.unicodeScalars[...last])
  }

  private static func withoutDeviceName(_ text: String) -> String {
    PortableName.isDevice(text.unicodeScalars) ? String(PortableName.devicePrefix) + text : text
  }
}

extension Unicode.Scalar {
  /// Whether nothing of it is seen.
  fileprivate var isIgnorable: Bool { !isASCII && properties.isDefaultIgnorableCodePoint }
}
