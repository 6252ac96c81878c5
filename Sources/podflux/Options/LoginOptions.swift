import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import WireProtocol

/// How requests log in, as a person says it. The password comes from stdin, from a netrc file, or is asked for on the
/// terminal: arguments are shown to every user of the machine.
struct LoginOptions: ParsableArguments {
  /// How a session that a command makes logs in.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case basic, digest, bearer, refreshing, parameter
  }

  @Option(help: "The name to log in with; the password is asked for, or comes with --password-stdin or --netrc.")
  var user: String?

  @Flag(help: "Read the password, or the token, from the first line of stdin.")
  var passwordStdin = false

  @Flag(help: "Take the password from the engine's netrc file, for each request.")
  var netrc = false

  @Option(
    help: """
      How to log in: basic or digest with a name and a password, bearer with a token, refreshing with one that others are \
      got with, parameter with one that stands in the URL's query, where the engine takes it from; basic unless this says \
      it.
      """)
  var login: Kind?

  @Option(name: .customLong("token-url"), help: "Where a refreshing login gets its tokens.")
  var tokenURL: String?

  @Option(
    help: "The name of the parameter that has the token of a parameter login; not needed for a known one such as auth.")
  var parameter: String?

  /// Whether anything is said.
  var isGiven: Bool {
    user != nil || passwordStdin || netrc || login != nil || tokenURL != nil || parameter != nil
  }

  /// Whether only a secret is said: a new one of a session that is there.
  var isSecretAlone: Bool {
    passwordStdin && user == nil && !netrc && login == nil && tokenURL == nil && parameter == nil
  }

  private var isByPassword: Bool { login == nil || login == .basic || login == .digest }

  /// Whether the token stands in the URL that comes with it.
  var isInAddress: Bool { login == .parameter && !passwordStdin }

  func validate() throws {
    guard isGiven, !isSecretAlone else { return }
    if passwordStdin, netrc { throw ValidationError("--password-stdin and --netrc exclude each other") }
    let kind = login ?? .basic
    if parameter != nil, kind != .parameter { throw ValidationError("--parameter belongs to --login parameter") }
    if isByPassword, user == nil, !netrc { throw ValidationError("--user says whose password it is") }
    if netrc, !isByPassword { throw ValidationError("--netrc is for basic and digest") }
    guard (kind == .refreshing) == (tokenURL != nil) else {
      throw ValidationError(
        kind == .refreshing ? "--login refreshing needs --token-url URL" : "--token-url belongs to --login refreshing")
    }
    if kind == .parameter, user != nil { throw ValidationError("--login parameter has no --user") }
  }

  /// The members of `auth`, and of `sessions/open`, with the secret.
  ///
  /// - Parameter hasAddress: Whether a URL comes with it, which may have the token of a parameter login.
  /// - Throws: `EngineRefusal` if there is none.
  func members(hasAddress: Bool = false) throws -> [(key: String, value: JSONValue)] {
    var found: [(key: String, value: JSONValue)] = [("kind", .string((login ?? .basic).rawValue))]
    if netrc { found.append(("netrc", .boolean(true))) }
    if let parameter { found.append(("parameter", .string(parameter))) }
    if !netrc, !(hasAddress && isInAddress) { found.append(try secret(isPassword: isByPassword)) }
    if let tokenURL { found.append(("tokenURL", .string(tokenURL))) }
    if let user { found.append(("user", .string(user))) }
    return found
  }

  /// The member `secret`, which is a password or a token.
  ///
  /// - Throws: `EngineRefusal` if there is no secret.
  func secret(isPassword: Bool) throws -> (key: String, value: JSONValue) {
    let word = isPassword ? "password" : "token"
    let line =
      passwordStdin ? try Self.lineOfStdin(word) : PasswordPrompt.ask("\(word) of \(user ?? "the session"): ")
    guard let line, !line.isEmpty else {
      throw EngineRefusal(
        code: Refusal.Code.missingField.rawValue,
        message: "there is no \(word); give it with --password-stdin, or on a terminal")
    }
    return ("secret", .string(line))
  }

  /// The first line of stdin, which must be UTF-8: another character than was meant is another password.
  private static func lineOfStdin(_ word: String) throws -> String {
    var (bytes, byte): ([UInt8], UInt8) = ([], 0)
    while withUnsafeMutableBytes(of: &byte, { readSome(from: STDIN_FILENO, into: $0) }) == 1,
      byte != UInt8(ascii: "\n")
    {
      bytes.append(byte)
    }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard let line = String(validating: bytes, as: UTF8.self) else {
      throw EngineRefusal(
        code: Refusal.Code.invalidValue.rawValue, message: "the \(word) on stdin is no UTF-8; write it in UTF-8")
    }
    return line
  }
}

/// Which session the requests of a feed or a download have: a new one, or one that is there.
struct SessionOptions: ParsableArguments {
  @OptionGroup var login: LoginOptions

  @Option(help: "The session that its requests log in with; podflux sessions lists them.")
  var session: String?

  /// Whether anything is said.
  var isGiven: Bool { login.isGiven || session != nil }

  func validate() throws {
    if login.isGiven, session != nil { throw ValidationError("--session has a login; leave the other one out") }
    if login.isSecretAlone { throw ValidationError("--user says whose password it is") }
  }

  /// The member `auth` or `session` of a payload; neither if nothing is said. A person may be asked for a password:
  /// call it once, before an engine begins.
  ///
  /// - Parameter hasAddress: Whether the payload has a URL, which may have the token of a parameter login.
  /// - Throws: `EngineRefusal` if there is no password.
  func members(hasAddress: Bool = false) throws -> [(key: String, value: JSONValue)] {
    if let session { return [("session", .string(session))] }
    guard login.isGiven else { return [] }
    return [("auth", object(try login.members(hasAddress: hasAddress)))]
  }
}

/// Asks a person for a password.
enum PasswordPrompt {
  /// What the person types, without showing it; nil without a terminal, and after ^C.
  static func ask(_ question: String) -> String? {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    return TerminalQuestion.ask(isSecret: true) { FileHandle.standardError.write(Data(question.utf8)) }
  }
}
