import Flux

/// Everything that can change Podflux's state.
///
/// It is one reference, as an intent is: the largest fact has hundreds of bytes.
package enum Action: ActionProtocol, Hashable {
  /// A client wants something; all others are facts, which the engine and its services dispatch.
  case intent(Intent)
  /// The engine has opened a library.
  indirect case recovered(Recovery)
  indirect case attempt(AttemptReport)
  /// A refresh of a feed reports.
  indirect case refresh(RefreshReport)
  /// A file that was owed its deletion is gone, or in quarantine.
  indirect case deleted(Deletion.Key)
  /// A file that is owed its deletion cannot be deleted, or put into quarantine, now; one sentence says why, where that
  /// is known.
  indirect case notDeleted(Deletion.Key, because: String?)
  /// A completed file has been read again.
  indirect case verified(Verification, Verification.Verdict)
  /// The survey of a run reports.
  indirect case surveyed(CleanupRun.Key, CleanupNews)
  /// The part of a step that is done with files has been done, or cannot be.
  indirect case cleaned(CleanupStep.Key, CleanupStep.Outcome)
  /// The engine has found out what the path is.
  indirect case networkPath(NetworkPath)
  /// How local clocks go.
  indirect case localTime(LocalTime)
  /// There is as much room on the disk as was waited for: so many bytes are free.
  indirect case roomCame(Int64)
  /// A moment that a store wanted to be woken at has come.
  case timeCame
  /// A service has found something out about sidecars.
  indirect case sidecar(SidecarFact)
  /// A service has found something out about a session.
  indirect case session(SessionFact)
  /// What was to be looked after has been; these folders are not there any more.
  indirect case upkeepDone(gone: [LibraryPath])

  /// Only progress is a reading: a running transfer's, or that of looking for what differs.
  package var isReading: Bool {
    switch self {
    case .attempt(let report): report.news.isReading
    case .surveyed(_, .progress): true
    default: false
    }
  }
}

/// What the engine found when it opened the library.
package struct Recovery: Hashable, Sendable {
  /// The downloads that were publishing when the last engine ended, and whose file stands at its place:
  /// only the row was missing.
  package var published: [DownloadID]
  /// The path as the engine finds it; nil if the services do not look.
  package var detectedPath: NetworkPath?
  /// The path as the program that started the engine reports it; nil if that is left to the engine.
  package var reportedPath: NetworkPath?
  /// How local clocks go; nil for as was kept.
  package var localTime: LocalTime?
  /// Whether rows and files are compared, if the setting `cleanupOnStart` says so.
  package var mayCleanUp: Bool
  /// Whether downloads are started, as long as this engine runs.
  package var mayDownload: Bool
  /// Whether rules delete what they owed when the last engine ended, as long as this engine runs.
  package var mayDeleteOwed: Bool

  /// Makes a recovery fact.
  package init(
    published: [DownloadID], detectedPath: NetworkPath? = nil, reportedPath: NetworkPath? = nil,
    localTime: LocalTime? = nil, mayCleanUp: Bool = true, mayDownload: Bool = true,
    mayDeleteOwed: Bool = true
  ) {
    self.published = published
    self.detectedPath = detectedPath
    self.reportedPath = reportedPath
    self.localTime = localTime
    self.mayCleanUp = mayCleanUp
    self.mayDownload = mayDownload
    self.mayDeleteOwed = mayDeleteOwed
  }
}

/// What services are asked to do once a turn is committed. Each bears being carried out twice, but for
/// `proceedRefresh`.
package enum Effect: Hashable, Sendable {
  case start(Attempt)
  /// Stop the attempt: sync what has arrived, report it, and end.
  case stop(AttemptID)
  /// These parts of what the tags of its file show may come no more over this network: a request for one of them ends,
  /// and the file gets its tags without them.
  case leaveParts([TagMaterial.Part], AttemptID)
  /// The attempt announced a step that needs a row first; the row is there.
  case proceed(AttemptID)
  case refreshFeed(FeedRefresh)
  /// What a refresh has reported is committed: it may go on, once.
  case proceedRefresh(FeedRefresh.ID)
  case stopRefresh(FeedRefresh.ID)
  /// Delete what a removed download left, or put a damaged file into quarantine.
  case delete(Deletion)
  /// Read a completed file again.
  case verify(Verification)
  /// Compare rows and files, and post what differs; files leave the quarantine after so many days, 0 for never.
  case startSurvey(CleanupRun, quarantineDays: Int)
  /// The page that the survey has posted is committed: post the next one.
  case nextSurveyPage(CleanupRun.Key)
  /// The run has ended: its survey reports no more.
  case cancelSurvey(CleanupRun.Key)
  /// See whether the files are as a step expects them, and do with them what it says.
  case cleanUp(CleanupStep)
  /// All transfers together keep to these limits from now on.
  case limit(TransferLimits)
  /// Connections that were made before are used no more, unless they are loopback's.
  case leaveNetworkPath
  /// Post `roomCame` once so many bytes are free on the disk, and forget any earlier wish; nil wishes nothing.
  case watchRoom(atLeast: Int64?)
  /// Post `localTime`.
  case readLocalTime
  /// Tell those who listen to the stream of actions what has followed from one.
  case announce(Announcement)
  /// Tell people what was done.
  case tell(Notice)
  /// Post `timeCame` at this moment, and forget any earlier wish; nil wishes nothing.
  case wake(at: Timestamp?)
  /// Do something for sidecars.
  case sidecar(SidecarOrder)
  /// Do something for sessions.
  case session(SessionOrder)
  /// Say which of these folders are not there any more and, on a new day, do what that calls for first; post
  /// `upkeepDone`.
  case runUpkeep([LibraryPath], day: DailyUpkeep?)
  /// Nothing runs and nothing can move any more: the engine may close.
  case close
}

/// What has followed from an action, for the readers of the stream of actions. Nothing else acts on it: folding the
/// actions again makes it follow again.
package struct Announcement: Hashable, Sendable {
  /// The number of the action that it has followed from.
  package var sequence: Int64
  /// The event that is announced.
  package var event: Event

  /// The events that clients are told of.
  package enum Event: Hashable, Sendable {
    /// An attempt begins.
    case started(AttemptID)
    /// The download waits.
    case waiting(DownloadID, DownloadState.Waiting)
    /// The download was stopped by an obstacle, and waits until it goes.
    case blocked(DownloadID, Obstacle)
    /// The download is forgotten, and its file is owed its deletion; nil if it has none, or if the file stays.
    case removed(DownloadID, deleting: PublishedFile? = nil)
  }

  /// Makes an announcement.
  package init(sequence: Int64, event: Event) {
    self.sequence = sequence
    self.event = event
  }
}

extension Turn where Effect == PodfluxCore.Effect {
  /// Announces what has followed from the action that is handled.
  mutating func announce(_ event: Announcement.Event) {
    perform(.announce(Announcement(sequence: sequence, event: event)))
  }
}

/// The engine's answer to an intent: it has been carried out, and is durable.
///
/// ```swift
/// switch try await podflux.dispatch(.downloads(.cancel(.all))) {
/// case .affected(let count): print(count, "downloads cancelled")
/// case let reply: print(reply)
/// }
/// ```
public enum Reply: Hashable, Sendable {
  /// The download's id, and whether this action made it.
  case enqueued(id: DownloadID, created: Bool)
  /// The feed's id, and whether this action subscribed to it.
  case subscribed(id: FeedID, created: Bool)
  /// The session's id, and where it is now.
  case session(id: SessionID, state: SessionState.Kind)
  /// How many feeds of a list were subscribed to, how many were before, and which outlines name none.
  case imported(added: Int, known: Int, rejected: [PodcastIntent.FeedList.Rejection])
  /// How many downloads, feeds or episodes changed.
  case affected(Int)
  /// The number of the run that begins.
  case cleanup(CleanupRun.Key)
  /// The intent was carried out; the reply has no further content.
  case done
  /// Another reply, and the path that a name template gives to an invented episode.
  indirect case exemplified(Reply, path: String)
}
