/// Whose day stands in a file's name (the article Files).
///
/// Use: `NameTimeZone("Europe/Vienna")`, nil for a text that cannot be the name of a zone.
public enum NameTimeZone: Hashable, Sendable {
  /// The publisher's: the day that `published` says.
  case publisher
  /// That of a place, by the name of its time zone in the IANA's database, such as `Europe/Vienna`.
  ///
  /// The name has the form of one. Whether the machine knows it was asked when it was set; where it does not any more,
  /// the publisher's day counts.
  case place(String)

  /// How long a name may be, in bytes; the longest in use, `America/Argentina/ComodRivadavia`, has 32.
  public static let maximumBytes = 64

  /// Reads the setting; nil for what cannot be the name of a time zone: it has 1 to `maximumBytes` ASCII letters,
  /// digits and `+ - _ /`, and begins with a letter (theory.html of the IANA's tzdata).
  public init?(_ text: String) {
    guard text != Self.publisherText else {
      self = .publisher
      return
    }
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.isLegal),
      text.utf8.first.map(Self.isLetter) ?? false
    else { return nil }
    self = .place(text)
  }

  /// The setting's value in lines and rows.
  public var text: String {
    switch self {
    case .publisher: Self.publisherText
    case .place(let name): name
    }
  }

  private static let publisherText = "publisher"

  private static func isLegal(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-_/".utf8.contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

extension NameTimeZone: Codable {
  /// Reads the text; what cannot be a name is refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let zone = NameTimeZone(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "that is no name of a time zone")
    }
    self = zone
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
