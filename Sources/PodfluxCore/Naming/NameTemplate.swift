/// A template for the paths of files, such as `{podcast}/[S{season:2}E{number:2} ]{title}` (the article Naming).
///
/// `{field}` stands for a value, `/` separates folders, and a group in brackets vanishes if a field in it is missing;
/// `{{`, `}}`, `[[` and `]]` stand for the characters themselves. The extension is added to the path, whether the
/// template ends with `.{ext}` or not. The template without text stands for the names that files have without one.
///
/// ```swift
/// var patch = SettingsPatch()
/// patch.filenameTemplate = try NameTemplate(validating: "{podcast}/[S{season:2}E{number:2} ]{title}")
/// _ = try await podflux.dispatch(.updateSettings(patch))
/// ```
public struct NameTemplate: Hashable, Sendable {
  /// What a template can name.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case podcast, title, date, time, season, number, index, guid, type, ext

    /// Whether it can be filled up with zeros, as `{index:3}`.
    package var takesWidth: Bool { self == .season || self == .number || self == .index }

    /// Whether it tells the episodes of one season apart.
    var tellsEpisodes: Bool {
      switch self {
      case .title, .date, .time, .number, .index, .guid: true
      case .podcast, .season, .type, .ext: false
      }
    }
  }

  /// A piece of a template.
  enum Piece: Hashable {
    case literal(String)
    /// A field, its number having so many digits at least.
    case field(Field, width: Int)
    /// The end of a folder's name.
    case separator
    /// Pieces that vanish if a field in them is missing.
    case group([Piece])
  }

  /// A part of a name: the template's own text, or the value of a field.
  package struct Part: Hashable, Sendable {
    package var text: String
    /// The field whose value it is.
    package var field: Field?

    package init(_ text: String, of field: Field? = nil) {
      self.text = text
      self.field = field
    }
  }

  /// The longest template, in bytes.
  public static let maximumBytes = 512
  /// The widths that a field takes.
  public static let widths = 1...9

  /// Files have the names that they have without a template.
  public static let standard = NameTemplate()

  /// The template as text; empty for the standard one.
  public let text: String
  private let pieces: [Piece]

  /// Reads a template; an empty text gives the standard one.
  public init(validating text: String) throws(NameTemplateFault) {
    self.text = text
    pieces = text.isEmpty ? [] : try NameTemplateParser(text).checkedPieces()
  }

  private init() {
    (text, pieces) = ("", [])
  }

  /// Whether files have the names that they have without a template.
  public var isStandard: Bool { text.isEmpty }

  /// Whether the template has a field.
  package func uses(_ field: Field) -> Bool { pieces.contains { $0.uses(field) } }

  /// The path without its extension: the parts of each folder's name, and those of the file's name. A name without any
  /// part is left out, except the last one.
  ///
  /// - Parameter value: The value of a field; nil if it is missing. Called for each occurrence of a field.
  package func names(_ value: (Field) -> String?) -> [[Part]] {
    var names: [[Part]] = [[]]
    for piece in pieces { piece.add(to: &names, value) }
    let folders = names.dropLast().filter { !$0.isEmpty }
    return folders + names.suffix(1)
  }
}

extension NameTemplate {
  /// The same names in another folder: this one stands in the place of the first, and of what follows it without a
  /// field.
  ///
  /// - Parameter folder: The folder's name, or several with `/` between them. Its braces and brackets are text.
  /// - Throws: `NameTemplateFault` if that is no template, for it is too long or has characters that no name has.
  package func placed(in folder: String) throws(NameTemplateFault) -> NameTemplate {
    let template = isStandard ? "{podcast}/[{date} ]{title}" : text
    var rest = "/" + template
    if let end = Self.firstFolderEnd(of: template) { rest = String(template[end...]) }
    while rest.hasPrefix("/") {
      let inner = String(rest.dropFirst())
      guard let end = Self.firstFolderEnd(of: inner), Self.isLiteral(inner[..<end]) else { break }
      rest = String(inner[end...])
    }
    let name = folder.reduce(into: "") { $0 += "{}[]".contains($1) ? "\($1)\($1)" : "\($1)" }
    return try NameTemplate(validating: name + rest)
  }

  /// Whether a part of a template has neither fields nor groups.
  private static func isLiteral(_ part: Substring) -> Bool {
    !part.replacing("{{", with: "").replacing("[[", with: "").contains(where: "{[".contains)
  }

  /// Where the first folder ends: at a separator, or at a group that begins with one, as in
  /// `{podcast}[/Season {season}]/{title}`. Nil for a template without folders.
  private static func firstFolderEnd(of template: String) -> String.Index? {
    let scalars = template.unicodeScalars
    var (position, isInGroup) = (scalars.startIndex, false)
    while position < scalars.endIndex {
      let scalar = scalars[position]
      let next = scalars.index(after: position)
      if "{}[]".unicodeScalars.contains(scalar), next < scalars.endIndex, scalars[next] == scalar {
        position = scalars.index(after: next)
        continue
      }
      let endsFolder = scalar == "/" || scalar == "[" && next < scalars.endIndex && scalars[next] == "/"
      if endsFolder, !isInGroup { return position }
      if scalar == "[" { isInGroup = true } else if scalar == "]" { isInGroup = false }
      position = next
    }
    return nil
  }
}

extension NameTemplate.Piece {
  /// Whether the field is here.
  func uses(_ field: NameTemplate.Field) -> Bool {
    switch self {
    case .literal, .separator: false
    case .field(let own, _): own == field
    case .group(let pieces): pieces.contains { $0.uses(field) }
    }
  }

  fileprivate func add(to names: inout [[NameTemplate.Part]], _ value: (NameTemplate.Field) -> String?) {
    switch self {
    case .separator: names.append([])
    case .literal(let text): names[names.count - 1].append(.init(text))
    case .field(let field, let width):
      guard let text = value(field) else { return }
      names[names.count - 1].append(.init(text.filled(toDigits: width), of: field))
    case .group(let pieces):
      guard !pieces.contains(where: { $0.isMissing(value) }) else { return }
      for piece in pieces { piece.add(to: &names, value) }
    }
  }

  private func isMissing(_ value: (NameTemplate.Field) -> String?) -> Bool {
    if case .field(let field, _) = self { value(field) == nil } else { false }
  }
}

extension String {
  /// The text, its leading number having so many digits at least: `7` and `7.5` become `07` and `07.5`.
  fileprivate func filled(toDigits width: Int) -> String {
    let digits = utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    guard digits > 0, digits < width else { return self }
    return String(repeating: "0", count: width - digits) + self
  }
}

extension NameTemplate: Codable {
  /// Reads the text; what is no template is refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(NameTemplateFault) {
      try self.init(validating: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
