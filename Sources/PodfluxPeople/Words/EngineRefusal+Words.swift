import PodfluxClient
import PodfluxCore

/// Refusals in words.
extension EngineRefusal {
  /// Why a request was refused, for a person who has typed a command and no line of JSON: with the names of commands
  /// and options where the protocol has its own.
  package var words: String {
    let named = Self.members.reduce(message.withCommandNames) { words, member in
      guard words.hasPrefix(member.protocol) else { return words }
      return member.command + words.dropFirst(member.protocol.count)
    }
    return DownloadError.Code.allCases.reduce(named) { $0.replacing(" (\($1.rawValue))", with: "") }
  }

  /// What the protocol calls things, anywhere in a sentence, and what commands call them.
  fileprivate static let terms: [(protocol: String, command: String)] = [
    ("payload.", ""),
    (
      "is suspended and takes engine/resume and engine/shutdown only; resume it first",
      #"is suspended until a client resumes it: echo '{"type":"engine/resume"}' | podflux attach (with the same --socket or --library)"#
    ),
    (#"settings/update {"network":{"feeds":"any"}}"#, #"podflux settings 'network={"feeds":"any"}'"#),
    ("headers or a userAgent that its server wants", "--header or --user-agent as its server wants"),
    ("preview the feed when it is online", "run it again when it is online"),
    (", or cancel it with cleanup/cancel", ""), ("downloads/pause", "podflux pause"),
    ("downloads/resume", "podflux resume"), ("downloads/retry", "podflux retry"),
    ("downloads/verify", "podflux verify"), ("downloads/remove", "podflux rm"),
    ("feeds/subscribe", "podflux add"), ("sessions/open", "podflux sessions open"),
    ("name the secret's in parameter", "name the secret's with --parameter"),
    ("give secret, secretFile or netrc", "give --password-stdin or --netrc"),
    ("its id is the one that enqueue replied", "podflux ls lists them"),
  ]

  /// The members with which sentences begin.
  private static let members: [(protocol: String, command: String)] = [
    ("mirrors[0] ", "--mirror "), ("opml ", "the document "), ("tokenURL ", "--token-url "),
    ("published must be a date", "--published must be a day such as 2026-11-21, or a date"),
    ("userAgent must be at most", "--user-agent must be at most"),
  ]

  /// Whether a feed that was only looked at wants a login.
  package var needsLogin: Bool { message.contains("(\(DownloadError.Code.unauthorized.rawValue))") }

  /// Whether the command was typed wrongly, and can never be carried out.
  package var concernsArguments: Bool {
    switch Refusal.Code(rawValue: code) {
    case .invalidValue, .unsupportedScheme, .unsafePath, .missingField, .unknownField: true
    default: false
    }
  }
}

extension String {
  /// A sentence of the engine with the names of commands where the protocol has its own.
  package var withCommandNames: String {
    EngineRefusal.terms.reduce(self) { $0.replacing($1.protocol, with: $1.command) }
  }
}
