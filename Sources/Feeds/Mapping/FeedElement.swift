import PodfluxCore

/// A complete element: its name, attributes and text. Its accessors throw a `FeedProblem` that names element and
/// attribute.
struct FeedElement: Sendable {
  /// An attribute with its name in lower case and references replaced.
  struct Attribute: Sendable {
    var name: String
    /// Nil for one that was dropped because it is too long.
    var value: String?
  }

  let tag: FeedTag
  var attributes: [Attribute]
  /// What relative URLs are relative to.
  var base: WebAddress?
  var text: [UInt8] = []

  init(_ tag: FeedTag, attributes: [Attribute] = [], base: WebAddress?) {
    self.tag = tag
    self.attributes = attributes
    self.base = base
  }

  func problem(_ fault: FeedProblem.Fault, attribute: String? = nil) -> FeedProblem {
    FeedProblem(element: tag.rawValue, attribute: attribute, fault: fault)
  }

  func invalid(_ value: String, attribute: String? = nil) -> FeedProblem {
    problem(.invalid(String(value.prefix(FeedLimits.maximumQuotedCharacters))), attribute: attribute)
  }

  // MARK: Attributes

  /// The value of the first attribute with a name, as it is written; nil if there is none, or it was dropped.
  func value(of name: String) -> String? {
    attributes.first { $0.name == name && $0.value != nil }?.value
  }

  /// The first attribute with a name; nil if there is none, or it is empty.
  func optional(_ name: String) throws(FeedProblem) -> String? {
    guard let value = value(of: name) else {
      if attributes.contains(where: { $0.name == name }) { throw problem(.tooLong, attribute: name) }
      return nil
    }
    if value.utf8.span.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) { return value.isEmpty ? nil : value }
    let trimmed = PlainText.cleaned(Array(value.utf8))
    return trimmed.isEmpty ? nil : trimmed
  }

  /// The element with its attributes under their names alone: in RDF each has the prefix of its namespace.
  var withoutPrefixes: FeedElement {
    var element = self
    for index in attributes.indices {
      element.attributes[index].name = String(attributes[index].name.split(separator: ":").last ?? "")
    }
    return element
  }

  func required(_ name: String) throws(FeedProblem) -> String {
    guard let value = try optional(name) else { throw problem(.missing, attribute: name) }
    return value
  }

  func address(_ name: String) throws(FeedProblem) -> WebAddress {
    try address(of: required(name), attribute: name)
  }

  func optionalAddress(_ name: String) throws(FeedProblem) -> WebAddress? {
    guard let value = try optional(name) else { return nil }
    return try address(of: value, attribute: name)
  }

  /// A media type in lower case, without its parameters.
  func mediaType(_ name: String) throws(FeedProblem) -> String? {
    guard let value = try optional(name) else { return nil }
    if value.utf8.span.allSatisfy(Self.isPlainTypeByte) { return value }
    let essence = value.lowercased().prefix { $0 != ";" && !$0.isWhitespace }
    return essence.isEmpty ? nil : String(essence)
  }

  /// Whether a byte of a media type stays as it is.
  private static func isPlainTypeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"),
      UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// The address of an image: in an attribute, in another one that publishers confuse with it, or as text.
  func imageAddress(_ name: String) throws(FeedProblem) -> WebAddress {
    for candidate in [name, "href", "url"] where value(of: candidate) != nil {
      return try address(candidate)
    }
    guard text.contains(where: { $0 > 0x20 }) else { throw problem(.missing, attribute: name) }
    return try address()
  }

  /// The bytes that the element claims to have: digits, with commas at most, of what a file can have.
  func claimedLength(_ name: String) throws(FeedProblem) -> Int64? {
    guard let value = try optional(name) else { return nil }
    let digits = value.utf8.span.contains(UInt8(ascii: ",")) ? value.filter { $0 != "," } : value
    guard let length = Self.integer(digits), length <= Settings.Limits.volume.upperBound else {
      throw invalid(value, attribute: name)
    }
    return length > 0 ? length : nil
  }

  func optionalInteger(_ name: String) throws(FeedProblem) -> Int64? {
    guard let value = try optional(name) else { return nil }
    guard let number = Self.integer(value) else { throw invalid(value, attribute: name) }
    return number
  }

  /// Whether an attribute says yes; false without it.
  func flag(_ name: String) throws(FeedProblem) -> Bool {
    guard let value = try optional(name) else { return false }
    guard let flag = Self.flag(value) else { throw invalid(value, attribute: name) }
    return flag
  }

  /// The relations of a link, in lower case: `alternate` if it names none. Registered ones may be written as URLs
  /// (RFC 4287 section 4.2.7.2).
  func relations() throws(FeedProblem) -> [String] {
    guard let value = try optional("rel") else { return ["alternate"] }
    let prefix = "http://www.iana.org/assignments/relation/"
    return value.lowercased().split(whereSeparator: \.isWhitespace).map {
      String($0.hasPrefix(prefix) ? $0.dropFirst(prefix.count) : $0)
    }
  }

  // MARK: Text

  /// The text without markup.
  func plainText() throws(FeedProblem) -> String {
    let plain = PlainText.text(ofHTML: text)
    guard !plain.isEmpty else { throw problem(.missing) }
    return plain
  }

  /// The text as it is.
  func content() throws(FeedProblem) -> String {
    let content = PlainText.cleaned(text)
    guard !content.isEmpty else { throw problem(.missing) }
    return content
  }

  func address() throws(FeedProblem) -> WebAddress {
    try address(of: content(), attribute: nil)
  }

  func date() throws(FeedProblem) -> PublicationDate {
    // A date of the plain form has no markup, and no blanks that count for nothing.
    if let date = PlainDate.parse(text.span) { return date }
    let value = try plainText()
    guard let date = FeedDate.parse(value) else { throw invalid(value) }
    return date
  }

  func integer() throws(FeedProblem) -> Int64 {
    let value = try plainText()
    guard let number = Self.integer(value) else { throw invalid(value) }
    return number
  }

  /// `yes`, `true`, `explicit`, `1`, and their opposites.
  func flag() throws(FeedProblem) -> Bool {
    let value = try plainText()
    guard let flag = Self.flag(value) else { throw invalid(value) }
    return flag
  }

  static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "explicit", "1": true
    case "no", "false", "clean", "0", "": false
    default: nil
    }
  }

  /// Digits, up to the largest number.
  static func integer(_ text: String) -> Int64? {
    let digits = text.utf8.span
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return Int64(text)
  }

  func address(of text: String, attribute: String?) throws(FeedProblem) -> WebAddress {
    do {
      return try URLReference.resolve(text, base: base)
    } catch {
      throw invalid(text, attribute: attribute)
    }
  }
}
