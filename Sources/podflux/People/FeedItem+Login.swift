import PodfluxClient
import PodfluxPeople

extension FeedItem {
  /// Why its refresh failed, and the command that puts a login right; empty if it did not fail.
  var failureAndRepair: String {
    guard let error else { return "" }
    let name = ShellCommand.quoted(title ?? id)
    return error.words + (error.needsCredentials ? "; podflux rules \(name) --user NAME" : "")
  }
}
