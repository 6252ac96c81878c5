/// A download as a person sees it.
package struct TransferRow: Sendable, Hashable {
  /// The state of the transfer, with the figures or words that its row shows.
  package enum State: Sendable, Hashable {
    /// Bytes are arriving.
    case moving(Movement)
    /// The transfer goes on when an attempt is due; the text says when and why.
    case retrying(String)
    /// The transfer waits, is paused or queued; the text says so.
    case waiting(String)
    /// The file is there: its length and, if it is known, its path in the library.
    case done(bytes: Int64, path: String? = nil)
    /// The transfer has failed, for this reason.
    case failed(String)
  }

  /// How far a transfer is.
  package struct Movement: Sendable, Hashable {
    package let received: Int64
    /// nil: the server did not say.
    package let total: Int64?
    /// 0: not known yet.
    package let bytesPerSecond: Int64

    package init(received: Int64, total: Int64?, bytesPerSecond: Int64) {
      self.received = received
      self.total = total
      self.bytesPerSecond = bytesPerSecond
    }

    /// At the present rate.
    var timeLeft: TimeLeft? { total.flatMap { TimeLeft(bytes: $0 - received, at: bytesPerSecond) } }
  }

  package let podcast: String
  package let title: String
  package let state: State

  package init(podcast: String, title: String, state: State) {
    self.podcast = podcast
    self.title = title
    self.state = state
  }

  /// Whether it scrolls away above the table: no frame changes it any more.
  var isFinished: Bool {
    switch state {
    case .done, .failed: true
    case .moving, .retrying, .waiting: false
    }
  }

  /// The place among the rows of a table: what moves, what will, what waits.
  var rank: Int {
    switch state {
    case .moving: 0
    case .retrying: 1
    case .waiting, .done, .failed: Self.lastRank
    }
  }

  static let lastRank = 2
}
