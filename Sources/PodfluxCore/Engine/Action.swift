import Flux

/// Everything that can change Podflux's state.
public enum Action: ActionProtocol, Hashable {
  /// A client wants something of the downloads.
  case downloads(DownloadIntent)
  /// A client changes settings.
  case updateSettings(SettingsPatch)
  /// A client, the end of input or a signal ends the engine's work.
  case stop(StopMode)
  /// The engine has opened a library.
  case recovered(Recovery)
  /// An attempt reports.
  case attempt(AttemptReport)
  /// A file that was owed its deletion is gone, or in quarantine.
  case deleted(Deletion.Key)
  /// A file that is owed its deletion cannot be deleted, or put into quarantine, now.
  case notDeleted(Deletion.Key)
  /// A completed file has been read again.
  case verified(Verification, Verification.Verdict)
  /// Partial files lie there; some may belong to no download.
  case foundPartials([DownloadID])
  /// The moment that a store wanted to be woken at has come.
  case timeCame

  /// Only a running transfer's progress is a reading.
  public var isReading: Bool {
    if case .attempt(let report) = self { report.news.isReading } else { false }
  }
}

/// How the engine's work ends.
public enum StopMode: String, Hashable, Sendable, Comparable {
  /// Goes on until nothing can move any more.
  case drain
  /// Checkpoints what runs, and stops.
  case now

  /// Orders by urgency.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs == .drain && rhs == .now
  }
}

/// What the engine found when it opened the library.
public struct Recovery: Hashable, Sendable {
  /// The downloads that were publishing when the last engine ended, and whose file stands at its place:
  /// only the row was missing.
  public var published: [DownloadID]

  /// Makes a recovery fact.
  public init(published: [DownloadID]) {
    self.published = published
  }
}

/// What services are asked to do once a turn is committed. Each bears being carried out twice.
public enum Effect: Hashable, Sendable {
  /// Start this attempt.
  case start(Attempt)
  /// Stop the attempt: sync what has arrived, report it, and end.
  case stop(AttemptID)
  /// The attempt announced a step that needs a row first; the row is there.
  case proceed(AttemptID)
  /// Delete what a removed download left, or put a damaged file into quarantine.
  case delete(Deletion)
  /// Read a completed file again.
  case verify(Verification)
  /// Post `timeCame` at this moment, and forget any earlier wish; nil wishes nothing.
  case wake(at: Timestamp?)
  /// Nothing runs and nothing can move any more: the engine may close.
  case close
}

/// What a client reads when its action is committed.
public enum Reply: Hashable, Sendable {
  /// The download's id, and whether this action made it.
  case enqueued(id: DownloadID, created: Bool)
  /// How many downloads changed.
  case affected(Int)
  /// Nothing more to say.
  case done
}
