/// How long a client waits for an engine that says nothing: counted in looks at the engine's process, one each second,
/// so that a client which was itself stopped meanwhile has not waited.
///
/// An engine whose process is stopped is given up soon. One that runs is only given up before its first line, and late:
/// it may be opening a large library, after a crash or with a new version on a slow disk. Behind its first line it may
/// say nothing for hours, since nothing happens.
package struct SilenceWatch: Sendable {
  /// The time between two looks, in milliseconds.
  package static let lookMilliseconds = 1000
  /// How many looks in a row find the process stopped before the engine is given up.
  package static let stoppedLooks = 10
  /// How many looks the first line of an engine that runs is waited for.
  package static let greetingLooks = 120

  private let process: PeerProcess?
  private var silentLooks = 0
  private var stoppedLooks = 0

  /// - Parameter process: The engine's process; nil where it is not known.
  package init(_ process: PeerProcess?) {
    self.process = process
  }

  /// Counts from zero again: the engine has sent something.
  package mutating func restart() {
    (silentLooks, stoppedLooks) = (0, 0)
  }

  /// Looks at the engine's process, after the time between two looks has passed in silence. Returns what is to be said
  /// of the engine if it is given up.
  ///
  /// - Parameter isGreeted: Whether the first line has come.
  package mutating func look(isGreeted: Bool) -> SilentEngine? {
    count(isStopped: process?.isStopped ?? false, isGreeted: isGreeted)
  }

  /// Counts a look that has found the process stopped, or not.
  package mutating func count(isStopped: Bool, isGreeted: Bool) -> SilentEngine? {
    silentLooks += 1
    stoppedLooks = isStopped ? stoppedLooks + 1 : 0
    if stoppedLooks >= Self.stoppedLooks { return SilentEngine(process: process, isStopped: true) }
    guard !isGreeted, silentLooks >= Self.greetingLooks else { return nil }
    return SilentEngine(process: process, isStopped: isStopped)
  }
}

/// An engine that does not answer, and was given up by a client.
package struct SilentEngine: Hashable, Sendable, CustomStringConvertible {
  /// Its process; nil where that is not known.
  package let process: PeerProcess?
  /// Whether the process is stopped.
  package let isStopped: Bool

  package init(process: PeerProcess?, isStopped: Bool) {
    (self.process, self.isStopped) = (process, isStopped)
  }

  /// One sentence for people.
  package var description: String {
    let seconds = SilenceWatch.greetingLooks * SilenceWatch.lookMilliseconds / 1000
    guard let process else {
      return """
        the engine has not answered for \(seconds) s: its process may be stopped (kill -CONT lets it go on), it may be \
        opening a large library, or its disk may hang; try again later
        """
    }
    guard isStopped else {
      return """
        the engine (process \(process.id)) has not answered for \(seconds) s: it may be opening a large library, or its \
        disk may hang; try again later
        """
    }
    return """
      the engine (process \(process.id)) is stopped and does not answer; let it go on with fg in its terminal, or with \
      kill -CONT \(process.id)
      """
  }
}
