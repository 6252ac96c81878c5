/// A charset whose bytes 00 to 7F are ASCII, and each of whose other bytes is one character.
struct SingleByteCharset: Sendable {
  /// The bytes from 80 to FF in UTF-8, one after another.
  private let upper: [[UInt8]]

  /// Nil for a label that names no such charset.
  init?(label: String) {
    guard let charset = Self.byName[Self.aliases[label] ?? label] else { return nil }
    self = charset
  }

  private init(codes: [Unicode.Scalar]) {
    upper = codes.map { Array(String(Character($0)).utf8) }
  }

  /// What bytes are that are no UTF-8 in a feed that declares UTF-8 or none: the charset of old Windows editors, a
  /// superset of the printable part of ISO 8859-1.
  static let western = SingleByteCharset(label: "windows-1252") ?? SingleByteCharset(codes: latin1)

  private static let latin1 = (0x80...0xFF).compactMap { Unicode.Scalar($0 as UInt8) }

  /// Appends the character of a byte from 80 to FF.
  func append(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(contentsOf: upper[Int(byte & 0x7F)])
  }

  private static let byName: [String: SingleByteCharset] = {
    var byName: [String: SingleByteCharset] = [:]
    var words = tables.split(whereSeparator: \.isWhitespace)[...]
    while let name = words.popFirst() {
      let codes = words.prefix(128).map { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}" }
      words = words.dropFirst(128)
      byName[String(name)] = SingleByteCharset(codes: codes)
    }
    return byName
  }()

  private static let aliases: [String: String] = [
    "cp1250": "windows-1250", "cp1251": "windows-1251", "win-1251": "windows-1251", "windows1251": "windows-1251",
    "cp1253": "windows-1253", "cp1254": "windows-1254", "cp1255": "windows-1255", "cp1256": "windows-1256",
    "cp1257": "windows-1257", "cp1258": "windows-1258", "latin2": "iso-8859-2", "latin-2": "iso-8859-2",
    "iso8859-2": "iso-8859-2", "iso-8859-9": "windows-1254", "latin5": "windows-1254", "iso8859-5": "iso-8859-5",
    "iso-8859-6": "windows-1256", "iso8859-7": "iso-8859-7", "iso-8859-11": "windows-874", "tis-620": "windows-874",
    "iso8859-15": "iso-8859-15", "latin9": "iso-8859-15", "latin-9": "iso-8859-15", "koi8r": "koi8-r",
    "koi8": "koi8-r", "cp866": "ibm866", "mac": "macintosh", "macroman": "macintosh", "x-mac-roman": "macintosh",
  ]
}
