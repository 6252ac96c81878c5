import PodfluxClient
import PodfluxCore

extension SessionItem {
  /// Where it is, in words.
  package var words: String {
    switch state {
    case .open, .extended: "open"
    case .created: "opens when it is needed"
    case .opening: "is being opened"
    case .closed: "closed"
    case .loginFailed: "login failed" + (error.map { ": \($0.words)" } ?? "")
    case nil: "in a state that this version does not know"
    }
  }
}
