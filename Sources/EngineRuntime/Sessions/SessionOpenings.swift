import PodfluxCore

/// The openings of sessions that are under way, and those that begin when these have ended: of each session one at a
/// time. Two at once would exchange the same token, and a server that takes each token once would refuse the second.
///
/// The product's service keeps its operations here, the simulator its fakes of them.
package struct SessionOpenings<Shell: AnyObject> {
  private struct Entry {
    let opening: SessionOpening
    let shell: Shell
    /// Whether the session was left since: this opening posts nothing more.
    var isLeft = false
  }

  private var running: [SessionID: Entry] = [:]
  private var awaited: [SessionID: SessionOpening] = [:]
  /// Whether the service ends: no opening begins any more.
  package private(set) var isEnding = false

  package init() {}

  /// The shells of those that are under way.
  package var shells: [Shell] { running.values.map(\.shell) }
  /// How many openings wait for the end of another one.
  package var awaitedCount: Int { awaited.count }

  /// The shell of the opening that is under way; nil if there is none.
  package subscript(session: SessionID) -> Shell? { running[session]?.shell }

  /// Takes an opening in; one that is known already changes nothing.
  ///
  /// - Parameter make: Makes its shell.
  /// - Returns: The shell that is to begin now, and one that is to stop: the session was left, and its new opening has
  ///   another secret, for which no answer to the former one matters.
  package mutating func open(
    _ opening: SessionOpening, make: (SessionOpening) -> Shell
  ) -> (new: Shell?, obsolete: Shell?) {
    let session = opening.id.session
    guard !isEnding else { return (nil, nil) }
    if let entry = running[session] {
      guard entry.opening.id != opening.id || entry.isLeft else { return (nil, nil) }
      awaited[session] = opening
      return (nil, entry.isLeft && entry.opening.wish.secret != opening.wish.secret ? entry.shell : nil)
    }
    let shell = make(opening)
    running[session] = Entry(opening: opening, shell: shell)
    return (shell, nil)
  }

  /// Leaves a session: what waits does not begin.
  ///
  /// - Returns: The shell that is to be told of it; nil if none is under way.
  package mutating func leave(_ session: SessionID) -> Shell? {
    awaited[session] = nil
    running[session]?.isLeft = true
    return running[session]?.shell
  }

  /// Notes that an opening has ended. Only then may the store hear of it: it may begin another one.
  ///
  /// - Parameter make: Makes the shell of the one that has waited for it.
  /// - Returns: Whether the store is to hear how it ended, and the shell that is to begin now.
  package mutating func end(
    _ id: SessionOpening.ID, make: (SessionOpening) -> Shell
  ) -> (isTold: Bool, next: Shell?) {
    guard let entry = running[id.session], entry.opening.id == id else { return (false, nil) }
    running[id.session] = nil
    let next = awaited.removeValue(forKey: id.session).flatMap { open($0, make: make).new }
    return (!entry.isLeft && !isEnding, next)
  }

  /// Ends all openings; none begins any more.
  ///
  /// - Returns: The shells that are to stop.
  package mutating func endAll() -> [Shell] {
    (isEnding, awaited) = (true, [:])
    return shells
  }
}
