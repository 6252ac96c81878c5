/// What a server wants before it answers (RFC 9110 section 11): a scheme, and where its credentials hold.
package struct AuthenticationChallenge: Hashable, Sendable {
  /// How many challenges of a response are read; the others are passed over.
  package static let maximumCount = 16
  /// The longest text of a server's that a message repeats, in characters.
  package static let maximumShownCharacters = 80

  /// The schemes that a session can meet, and any other.
  package enum Scheme: Hashable, Sendable {
    /// RFC 7617.
    case basic
    /// RFC 7616.
    case digest
    /// RFC 6750.
    case bearer
    /// Another scheme, its name in lower case.
    case other(String)

    /// - Parameter name: In any case.
    init(_ name: String) {
      switch name.lowercased() {
      case "basic": self = .basic
      case "digest": self = .digest
      case "bearer": self = .bearer
      case let other: self = .other(other)
      }
    }

    /// The name as in the registry of schemes.
    package var name: String {
      switch self {
      case .basic: "Basic"
      case .digest: "Digest"
      case .bearer: "Bearer"
      case .other(let name): name
      }
    }
  }

  package var scheme: Scheme
  /// Where the credentials hold, as the server calls it for people.
  package var realm: String?
  /// Why a token was refused (RFC 6750 section 3.1), such as `invalid_token`.
  package var error: String?

  /// Describes a challenge.
  package init(_ scheme: Scheme, realm: String? = nil, error: String? = nil) {
    self.scheme = scheme
    self.realm = realm
    self.error = error
  }
}

extension AuthenticationChallenge {
  /// The challenges of a field's value, in the server's order. What follows none of the grammar ends the reading: what
  /// came before it holds. Cost: linear.
  package static func challenges(in value: String) -> [AuthenticationChallenge] {
    var reader = ChallengeReader(Array(value.utf8))
    return reader.challenges()
  }
}

extension ResponseHead {
  /// What the server wants before it answers: the challenges of every `WWW-Authenticate`, in their order.
  package var challenges: [AuthenticationChallenge] {
    var found: [AuthenticationChallenge] = []
    for field in fields where field.isNamed("WWW-Authenticate") {
      found += AuthenticationChallenge.challenges(in: field.value)
      guard found.count < AuthenticationChallenge.maximumCount else { break }
    }
    return Array(found.prefix(AuthenticationChallenge.maximumCount))
  }

  /// The first realm that the server names, as a message can repeat it: without control characters, not too long, and
  /// with nothing that may be a secret of the request.
  package var shownRealm: String? {
    challenges.lazy.compactMap { $0.realm.map(AuthenticationChallenge.shown) }.first {
      !$0.isEmpty && !AuthenticationChallenge.mayRepeatSecret($0)
    }
  }
}

extension AuthenticationChallenge {
  /// A server's text as a message can repeat it.
  static func shown(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
      default: scalar != "\""
      }
    }
    let kept = String(String.UnicodeScalarView(scalars.prefix(maximumShownCharacters)))
    return kept.split(separator: " ").joined(separator: " ")
  }

  /// From so many letters and digits in a row on a word may be a token.
  private static let tokenCharacters = 20

  /// Whether a server's text may repeat what came with the request: a query, or a word as long as tokens are.
  static func mayRepeatSecret(_ text: String) -> Bool {
    text.contains("=") || text.contains("?")
      || text.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }.contains { $0.count >= tokenCharacters }
  }
}

/// Reads `#challenge` (RFC 9110 sections 11.2 to 11.6). A comma ends a parameter or a challenge: which of the two, the
/// word behind it tells. A parameter has a `=` behind its name, and a challenge has not.
private struct ChallengeReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func challenges() -> [AuthenticationChallenge] {
    var found: [AuthenticationChallenge] = []
    while found.count < AuthenticationChallenge.maximumCount {
      skipCommas()
      guard let scheme = token() else { break }
      guard isAtEnd || isBlank(bytes[index]) || bytes[index] == UInt8(ascii: ",") else { break }
      var challenge = AuthenticationChallenge(.init(scheme))
      let isWhole = takeParameters(of: &challenge)
      found.append(challenge)
      guard isWhole else { break }
    }
    return found
  }

  private var isAtEnd: Bool { index == bytes.count }

  /// Reads what follows a scheme: `token68`, or parameters.
  ///
  /// - Returns: false where it follows none of the grammar.
  private mutating func takeParameters(of challenge: inout AuthenticationChallenge) -> Bool {
    skipBlanks()
    if skipToken68() { return true }
    while true {
      skipCommas()
      let start = index
      guard let name = token() else { return isAtEnd }
      skipBlanks()
      guard !isAtEnd, bytes[index] == UInt8(ascii: "=") else {
        // The next challenge begins here.
        index = start
        return true
      }
      index += 1
      skipBlanks()
      guard let value = value() else { return false }
      switch name.lowercased() {
      case "realm": challenge.realm = challenge.realm ?? value
      case "error": challenge.error = challenge.error ?? value
      default: break
      }
      skipBlanks()
      guard isAtEnd || bytes[index] == UInt8(ascii: ",") else { return false }
    }
  }

  /// A value that stands for all parameters, such as that of Negotiate: it ends the challenge.
  private mutating func skipToken68() -> Bool {
    var end = index
    while end < bytes.count, isToken68Byte(bytes[end]) { end += 1 }
    let isMarked = end < bytes.count && bytes[end] == UInt8(ascii: "=")
    while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
    guard end > index else { return false }
    var next = end
    while next < bytes.count, isBlank(bytes[next]) { next += 1 }
    // Behind a word alone there may be a parameter's value, or the word may be the next scheme.
    guard next == bytes.count || bytes[next] == UInt8(ascii: ",") else { return false }
    if isMarked, end - index < 2 { return false }
    index = next
    return true
  }

  private mutating func value() -> String? {
    guard !isAtEnd, bytes[index] == UInt8(ascii: "\"") else { return token() }
    index += 1
    var text: [UInt8] = []
    while !isAtEnd {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard !isAtEnd else { return nil }
        text.append(bytes[index])
        index += 1
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func token() -> String? {
    let start = index
    while !isAtEnd, bytes[index].isTokenByte { index += 1 }
    return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
  }

  private mutating func skipBlanks() {
    while !isAtEnd, isBlank(bytes[index]) { index += 1 }
  }

  private mutating func skipCommas() {
    while !isAtEnd, isBlank(bytes[index]) || bytes[index] == UInt8(ascii: ",") { index += 1 }
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// `token68` without its end (RFC 9110 section 11.2).
  private func isToken68Byte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "-._~+/".utf8.contains(byte) }
}
