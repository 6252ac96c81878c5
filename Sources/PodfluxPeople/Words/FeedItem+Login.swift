import PodfluxClient

extension FeedItem {
  /// The command that gives it a login, as a person types it.
  package var loginCommand: String { "podflux rules \(ShellCommand.quoted(title ?? id)) --user NAME" }

  /// Why its refresh failed, and the command that puts a login right; empty if it did not fail.
  package var failureAndRepair: String {
    guard let error else { return "" }
    return error.words + (error.needsCredentials ? "; \(loginCommand)" : "")
  }
}
