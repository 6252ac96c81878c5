import PodfluxCore

/// A complete element: its name, attributes and text. Its accessors throw a `FeedProblem` that names element and
/// attribute.
struct FeedElement: Sendable {
  let tag: FeedTag
  /// Names in lower case, references replaced.
  var attributes: [(name: String, value: String)] = []
  /// The attributes that were dropped because they are too long.
  var longAttributes: [String] = []
  /// What relative URLs are relative to.
  var base: WebAddress?
  var text: [UInt8] = []

  init(_ tag: FeedTag) {
    self.tag = tag
  }

  func problem(_ fault: FeedProblem.Fault, attribute: String? = nil) -> FeedProblem {
    FeedProblem(element: tag.rawValue, attribute: attribute, fault: fault)
  }

  func invalid(_ value: String, attribute: String? = nil) -> FeedProblem {
    problem(.invalid(String(value.prefix(FeedLimits.maximumQuotedCharacters))), attribute: attribute)
  }

  // MARK: Attributes

  /// The first attribute with a name; nil if there is none, or it is empty.
  func optional(_ name: String) throws(FeedProblem) -> String? {
    guard let value = attributes.first(where: { $0.name == name })?.value else {
      if longAttributes.contains(name) { throw problem(.tooLong, attribute: name) }
      return nil
    }
    if value.utf8.span.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) { return value.isEmpty ? nil : value }
    let trimmed = PlainText.cleaned(Array(value.utf8))
    return trimmed.isEmpty ? nil : trimmed
  }

  /// The element with its attributes under their names alone: in RDF each has the prefix of its namespace.
  var withoutPrefixes: FeedElement {
    func local(_ name: String) -> String { String(name.split(separator: ":").last ?? "") }
    var element = self
    element.attributes = attributes.map { (local($0.name), $0.value) }
    element.longAttributes = longAttributes.map(local)
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
    for candidate in [name, "href", "url"] where attributes.contains(where: { $0.name == candidate }) {
      return try address(candidate)
    }
    guard text.contains(where: { $0 > 0x20 }) else { throw problem(.missing, attribute: name) }
    return try address()
  }

  /// The bytes that the element claims to have: digits, with commas at most.
  func claimedLength(_ name: String) throws(FeedProblem) -> Int64? {
    guard let value = try optional(name) else { return nil }
    let digits = value.utf8.span.contains(UInt8(ascii: ",")) ? value.filter { $0 != "," } : value
    guard let length = Self.integer(digits) else { throw invalid(value, attribute: name) }
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
