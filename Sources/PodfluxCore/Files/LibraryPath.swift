/// A checked path inside a library: relative, visible, printable, and unable to leave the library.
///
/// It says nothing about the disk: walking the path refuses symbolic links. Two paths are equal if their bytes are, as
/// on a Linux file system: NFC and NFD spellings name two files there, although Swift compares them as equal strings.
///
/// ```swift
/// let path = try LibraryPath(validating: "Night Trains/Vienna.mp3")
/// print(path.name, path.folder?.description ?? "in the library itself")
/// ```
public struct LibraryPath: Hashable, Sendable, CustomStringConvertible {
  /// The longest path, in UTF-8 bytes (PATH_MAX of Linux, limits.h).
  public static let maximumBytes = 4096
  /// The longest component, in UTF-8 bytes (NAME_MAX of Linux, limits.h).
  public static let maximumComponentBytes = 255
  /// How many components a path may have, the file's name included.
  public static let maximumComponents = 16

  /// The path as text, its components joined by "/".
  public let description: String

  /// Checks `text`, which may be untrusted.
  ///
  /// Refuses paths that are empty, absolute, too long or too deep; components that are empty, "." or "..", begin with a
  /// dot (`.podflux` belongs to the engine) or end with a blank or a dot; backslashes; control characters, line
  /// separators and characters that change the direction of text.
  public init(validating text: String) throws(LibraryPathError) {
    guard !Self.isPlain(text) else {
      description = text
      return
    }
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.maximumBytes else { throw .tooLong }
    guard text.utf8.first != UInt8(ascii: "/") else { throw .absolute }
    let components = Self.split(text)
    guard components.count <= Self.maximumComponents else { throw .tooDeep }
    for (index, component) in components.enumerated() {
      try Self.check(component, number: index + 1)
    }
    description = text
  }

  /// Joins checked names.
  init(checked components: some Sequence<String>) {
    description = components.joined(separator: "/")
  }

  /// The path's components; the last one is the file's name. Never empty.
  public var components: [String] {
    Self.split(description).map { String($0) }
  }

  /// The parent folder, or nil if the file lies at the top of the library.
  public var folder: LibraryPath? {
    let folders = components.dropLast()
    return folders.isEmpty ? nil : LibraryPath(checked: folders)
  }

  public var name: String {
    Self.split(description).last.map { String($0) } ?? description
  }

  /// Whether both have the same bytes.
  public static func == (left: LibraryPath, right: LibraryPath) -> Bool {
    left.description.utf8.elementsEqual(right.description.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var text = description
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension LibraryPath {
  /// Whether a text is certainly a path: of ASCII, and with nothing that the check of each component refuses. One pass
  /// over the bytes, since each row that is read has a path, and a cleanup reads them all. False says nothing.
  private static func isPlain(_ text: String) -> Bool {
    guard (1...maximumBytes).contains(text.utf8.count) else { return false }
    var text = text
    return text.withUTF8 { bytes in
      var components = 1
      var (start, last) = (0, UInt8(ascii: "/"))
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "/"):
          guard isPlainEnd(last), index - start <= maximumComponentBytes else { return false }
          components += 1
          start = index + 1
        case UInt8(ascii: "."): guard index > start else { return false }
        case 0..<0x20, UInt8(ascii: "\\"), 0x7F...: return false
        default: break
        }
        last = byte
      }
      return isPlainEnd(last) && bytes.count - start <= maximumComponentBytes && components <= maximumComponents
    }
  }

  /// Whether a component may end with this byte; after a slash it would be empty.
  private static func isPlainEnd(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: "/") && byte != UInt8(ascii: " ") && byte != UInt8(ascii: ".")
  }

  /// Splits at every slash. By scalars, since "/" followed by a combining accent is one `Character`, not equal to "/".
  private static func split(_ text: String) -> [Substring.UnicodeScalarView] {
    text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
  }

  private static func check(_ component: Substring.UnicodeScalarView, number: Int) throws(LibraryPathError) {
    guard let last = component.last else { throw .emptyComponent(number: number) }
    guard Substring(component).utf8.count <= maximumComponentBytes else { throw .componentTooLong(number: number) }
    if let refused = component.first(where: isRefused) {
      throw .refusedCharacter(codePoint: refused.value, component: number)
    }
    guard !component.isHidden else { throw .hidden(number: number) }
    guard last != "." && !last.properties.isWhitespace else { throw .trailingBlankOrDot(number: number) }
  }

  private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\\" || scalar.isUnprintable
  }
}

extension Substring.UnicodeScalarView {
  /// Whether the first visible character is a dot or normalizes to one.
  ///
  /// This covers ".", "..", and `.podflux` in every case and normalization, also on file systems that ignore invisible
  /// characters in names.
  fileprivate var isHidden: Bool {
    guard let first = first(where: { !$0.properties.isDefaultIgnorableCodePoint }) else { return true }
    return first.isDotLike
  }
}

extension Unicode.Scalar {
  /// Whether this is a full stop, or compatibility normalization (NFKC) turns it into one.
  package var isDotLike: Bool {
    self == "." || self == "\u{2024}" || self == "\u{FE52}" || self == "\u{FF0E}"
  }

  /// Whether a file's name must not contain this: control characters (C0, DEL, C1), line and paragraph separators, and
  /// characters that change the direction of text (UAX #9).
  package var isUnprintable: Bool {
    // Of ASCII only control characters are; looking up properties is slow, and each row that is read has a path.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }
}
