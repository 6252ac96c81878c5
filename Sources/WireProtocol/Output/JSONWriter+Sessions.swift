import PodfluxCore

/// The sessions as clients see them (the article Protocol): without secrets, and without references to them.
extension JSONWriter {
  mutating func members(of session: Session) {
    member("error", error: session.state.error)
    member("expires", session.expires)
    array("hosts", session.wish.hosts) { $1.element($0) }
    member("id", session.id.description)
    member("kind", session.wish.kind.rawValue)
    member("since", session.since)
    member("state", session.state.kind.rawValue)
  }
}
