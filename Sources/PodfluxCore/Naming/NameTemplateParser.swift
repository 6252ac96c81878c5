/// Reads the text of a template, by scalars: `/` with a combining accent is a separator too.
struct NameTemplateParser {
  private typealias Piece = NameTemplate.Piece

  /// The longest name of a field that a fault repeats, in characters.
  private static let shownCharacters = 32

  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) throws(NameTemplateFault) {
    guard text.utf8.count <= NameTemplate.maximumBytes else { throw .tooLong(bytes: text.utf8.count) }
    scalars = Array(text.unicodeScalars)
    if let forbidden = scalars.first(where: { $0 == "\\" || $0.isUnprintable }) {
      throw .forbiddenCharacter(codePoint: forbidden.value)
    }
  }

  /// The pieces, without the extension at the end.
  consuming func checkedPieces() throws(NameTemplateFault) -> [NameTemplate.Piece] {
    var pieces = try self.pieces(isGroup: false)
    pieces.dropExtension()
    try Self.check(pieces)
    return pieces
  }

  // MARK: Reading

  private mutating func pieces(isGroup: Bool) throws(NameTemplateFault) -> [Piece] {
    var pieces: [Piece] = []
    while position < scalars.count {
      let scalar = scalars[position]
      position += 1
      switch scalar {
      case "{", "}", "[", "]":
        if position < scalars.count, scalars[position] == scalar {
          position += 1
          pieces.append(scalar)
          continue
        }
        switch scalar {
        case "{": pieces.append(try field())
        case "}": throw .strayBrace
        case "[":
          guard !isGroup else { throw .nestedGroup }
          pieces.append(.group(try self.pieces(isGroup: true)))
        default:
          guard isGroup else { throw .strayBracket }
          return try Self.checkedGroup(pieces)
        }
      case "/": pieces.append(.separator)
      default: pieces.append(scalar)
      }
    }
    guard !isGroup else { throw .unclosedGroup }
    return pieces
  }

  private mutating func field() throws(NameTemplateFault) -> Piece {
    let rest = scalars[position...]
    guard let end = rest.firstIndex(of: "}"), !rest[..<end].contains(where: { $0 == "{" || $0 == "[" || $0 == "]" })
    else { throw .unclosedField }
    let text = String(String.UnicodeScalarView(rest[..<end]))
    position = end + 1
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    guard let field = NameTemplate.Field(rawValue: name) else {
      throw .unknownField(String(name.prefix(Self.shownCharacters)))
    }
    guard parts.count > 1 else { return .field(field, width: 0) }
    guard field.takesWidth else { throw .needlessWidth(name) }
    guard let width = Int(parts[1]), NameTemplate.widths.contains(width), parts[1].utf8.count == 1 else {
      throw .badWidth(String(text.prefix(Self.shownCharacters)))
    }
    return .field(field, width: width)
  }

  private static func checkedGroup(_ pieces: [Piece]) throws(NameTemplateFault) -> [Piece] {
    let canVanish = pieces.contains { piece in
      if case .field(let field, _) = piece { field != .ext } else { false }
    }
    guard canVanish else { throw .groupWithoutField }
    return pieces
  }

  // MARK: Checking

  /// Checks the names with all groups in them.
  private static func check(_ pieces: [Piece]) throws(NameTemplateFault) {
    let names = pieces.flatMap(\.leaves).split(separator: .separator, omittingEmptySubsequences: false)
    guard names.count <= LibraryPath.maximumComponents else { throw .tooDeep(names: names.count) }
    for name in names {
      guard let first = name.first else { throw .emptyName }
      if case .literal(let text) = first {
        guard text.unicodeScalars.first?.isDotLike == false else { throw .hiddenName }
      }
    }
    let tellsEpisodes = names.last?.contains { piece in
      if case .field(let field, _) = piece { field.tellsEpisodes } else { false }
    }
    guard tellsEpisodes == true else { throw .tellsNoEpisode }
  }
}

extension NameTemplate.Piece {
  /// The piece, or those of the group.
  fileprivate var leaves: [Self] {
    if case .group(let pieces) = self { pieces } else { [self] }
  }
}

extension [NameTemplate.Piece] {
  /// Adds a character of the template's own text.
  fileprivate mutating func append(_ scalar: Unicode.Scalar) {
    guard case .literal(var text)? = last else { return append(.literal(String(scalar))) }
    text.unicodeScalars.append(scalar)
    self[count - 1] = .literal(text)
  }

  /// Removes `.{ext}` from the end: each path gets it anyway.
  fileprivate mutating func dropExtension() {
    guard count > 1, last == .field(.ext, width: 0), case .literal(var text) = self[count - 2], text.last == "." else {
      return
    }
    text.removeLast()
    removeLast(2)
    if !text.isEmpty { append(.literal(text)) }
  }
}
