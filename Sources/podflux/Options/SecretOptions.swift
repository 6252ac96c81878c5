import ArgumentParser
import PodfluxEngine

/// Where an engine keeps the secrets of sessions, as options say it.
struct SecretOptions: ParsableArguments {
  /// Where secrets are.
  enum Place: String, ExpressibleByArgument, CaseIterable {
    /// In a file of the library's own folder.
    case file
    /// In memory only.
    case memory
  }

  @Option(
    help: """
      A file with a key of 16 bytes or more that seals the secrets of sessions; otherwise the credential podflux-key of \
      systemd, if there is one.
      """,
    completion: .file())
  var credentialsKey: String?

  @Option(
    help:
      "Where the secrets of sessions are kept: in the library's own folder (file), or until the engine ends (memory).")
  var secrets: Place?

  @Option(help: "The netrc file of sessions that have their password there; otherwise ~/.netrc.", completion: .file())
  var netrc: String?
}
