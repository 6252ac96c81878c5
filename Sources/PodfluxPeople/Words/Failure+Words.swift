import PodfluxClient
import PodfluxCore

/// Errors in words: the one place where a code becomes a sentence for people.
extension Failure {
  /// Why an attempt or a refresh failed, as a part of a sentence. A code that this version does not know is told by the
  /// engine's own sentence.
  package var words: String {
    guard let code = DownloadError.Code(rawValue: code) else { return message.isEmpty ? self.code : message }
    if isToldBetter { return Self.advice.reduce(message) { $0.replacing($1.protocol, with: $1.command) } }
    guard code == .retriesExhausted else { return Self.words(for: code, status: status) }
    return "it failed too often" + (lastFailure.map { ", at last because \($0.words)" } ?? "")
  }

  /// The last one of those after which it was given up.
  private var lastFailure: Failure? {
    guard let cause else { return nil }
    let text = message.firstRange(of: "the last one: ").map { String(message[$0.upperBound...]) }
    return Failure(code: cause, message: text ?? "", status: status)
  }

  /// What the engine advises a program, and what a person does instead.
  private static let advice: [(protocol: String, command: String)] = [
    (#"enqueue the addresses of episodes; it has them as <enclosure url="…">"#, "podflux add subscribes to it"),
    (
      #"enqueue the addresses of episodes; it has them as <link rel="enclosure" href="…">"#,
      "podflux add subscribes to it"
    ),
    (
      #"enqueue the addresses of episodes; they stand in the feeds whose addresses it has as xmlUrl="…""#,
      "podflux import subscribes to its feeds"
    ),
  ]

  /// Whether the engine's sentence says more than its code: it quotes the realm or the session of a login, says what
  /// the server sent or left out, what the system refused or where another file is, or names who answered where that is
  /// not the address itself.
  private var isToldBetter: Bool {
    if message.hasPrefix("a further document of the feed") { return true }
    return switch DownloadError.Code(rawValue: code) {
    case .unauthorized:
      message.contains("\"") || ["the token server", "the session's secret"].contains(where: message.hasPrefix)
    case .notMedia, .io, .fileExists: !message.isEmpty
    case .lengthMismatch: message.hasPrefix("the feed's document")
    // Not each limit is a setting.
    case .tooLarge: !message.isEmpty && !message.contains("maxFileBytes")
    case .unsafeRedirect: !message.isEmpty
    case .connectFailed: message.contains("addresses=any")
    default: false
    }
  }

  /// Whether there is too little room by the storage quota, and not on the disk.
  package var isOfQuota: Bool {
    code == DownloadError.Code.noSpace.rawValue && message.contains("storageQuotaBytes")
  }

  /// Whether it would end with a name and a password, or another one.
  package var needsCredentials: Bool {
    [code, cause].contains { $0 == DownloadError.Code.unauthorized.rawValue }
  }

  /// The session that could not log in, as the engine's sentence names it; nil if it names none.
  package var session: String? {
    let beginning = "the session \""
    guard message.hasPrefix(beginning) else { return nil }
    return String(message.dropFirst(beginning.count).prefix { $0 != "\"" })
  }

  private static func words(for code: DownloadError.Code, status: Int64?) -> String {
    switch code {
    case .unknownHost: "the host's name has no address"
    case .connectFailed: "no connection to the server could be made"
    case .tlsCertificate: "the server's certificate is not trusted"
    case .timeout: "the server was silent for too long"
    case .tooSlow: "the transfer was too slow"
    case .connectionLost: "the connection broke off"
    case .tooManyRedirects: "too many redirects followed each other"
    case .unsafeRedirect: "a redirect led to an unsafe address"
    case .httpStatus: "the server answered \(status.map(String.init) ?? "with an error")"
    case .notFound: "the server answered 404 Not Found"
    case .gone: "the server answered 410 Gone"
    case .unauthorized: "the server answered 401 Unauthorized"
    case .forbidden: "the server answered 403 Forbidden"
    case .rangeMismatch: "the server sent another part than was asked for"
    case .validatorChanged: "the file changed on the server"
    case .lengthMismatch: "the file has another length than was announced"
    case .integrityMismatch: "the file's digest is not the expected one"
    case .notMedia: "the server sent something that is neither media nor a feed"
    case .tooLarge: "the file is larger than the setting maxFileBytes allows"
    case .noSpace: "the disk is full"
    case .fileExists: "another file is at its place"
    case .io: "the disk or the file system failed"
    case .corruptFile: "its file is missing or damaged"
    case .retriesExhausted: "it failed too often"
    }
  }
}

extension RestartCause {
  /// Why bytes were thrown away, as a part of a sentence.
  package var words: String {
    switch self {
    case .partialMissing: "the partial file was gone"
    case .partialDamaged: "the partial file was damaged"
    case .rangeMismatch: "the server sent another part than was asked for"
    case .validatorChanged: "the server said that the file is another one"
    case .lengthChanged: "the file has another length now"
    case .contentChanged: "the file has other content now"
    case .notMedia: "it was no media"
    case .integrityMismatch: "its digest was not the expected one"
    case .tooLarge: "it was too large"
    }
  }
}
