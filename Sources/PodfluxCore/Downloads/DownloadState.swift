import Flux

/// The state of a download. A payload exists only in its state.
///
/// ```swift
/// switch download.state {
/// case .completed(let file): print(folder + "/" + file.path.description)
/// case .failed(let error): print(error.message)
/// case .waiting(let waiting): print("tried again after", waiting.error.message)
/// case .queued, .running, .paused: print(download.state.kind.rawValue)
/// }
/// ```
public enum DownloadState: Hashable, Sendable {
  /// Runs once a slot is free, no obstacle is in its way, and nothing of its name is left to end. While an obstacle is
  /// in its way clients see it as waiting for that; the row stays queued (`Obstacle`).
  case queued
  /// Waits for a condition, and continues when it is met.
  case waiting(Waiting)
  /// An attempt is running.
  case running(Phase)
  /// A person paused it.
  case paused
  case completed(PublishedFile)
  /// The download stays failed until a client's intent changes it.
  case failed(DownloadError)

  /// What a download waits for, by its row. What it waits for besides is an `Obstacle`.
  ///
  /// ```swift
  /// if case .waiting(let waiting) = download.state { print(waiting.reason.rawValue, waiting.until.milliseconds) }
  /// ```
  public enum Waiting: Hashable, Sendable {
    /// The last attempt failed with this error; the next one begins at this time.
    case retry(at: Timestamp, after: DownloadError)
    /// Storage was missing; the engine checks again at this time. It counts no attempt.
    case storage(until: Timestamp, after: DownloadError)
  }

  /// How far a running attempt is.
  ///
  /// Use: `item.live?.phase`.
  public enum Phase: Hashable, Sendable {
    case connecting
    case receiving
    case verifying
    /// The complete partial file is about to be, or has been, renamed: the row records the destination.
    case publishing(PublishedFile)
  }
}

/// A file of the library as a row records it, so that a later look can tell it from another file with its path.
///
/// Use: `download.state.file`, nil unless the download is completed or about to be.
public struct PublishedFile: Hashable, Sendable, Codable {
  /// Its path relative to the library.
  public var path: LibraryPath
  public var length: Int64
  /// Its inode, which a rename keeps: after a crash no other file with this path is taken for it.
  public var inode: UInt64
  /// Its SHA-256 in hexadecimal digits, if the settings or the client wanted it.
  public var sha256: String?
  /// The time of its last write (st_mtim of stat(2)), in nanoseconds since 1970; nil if not recorded. An edit changes
  /// it, bit rot does not.
  public var modifiedNanoseconds: Int64?

  package init(
    path: LibraryPath, length: Int64, inode: UInt64, sha256: String? = nil, modifiedNanoseconds: Int64? = nil
  ) {
    self.path = path
    self.length = length
    self.inode = inode
    self.sha256 = sha256
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  /// Whether both describe the same file, ignoring its modification time.
  package func describesSameFile(as other: PublishedFile) -> Bool {
    path == other.path && length == other.length && inode == other.inode && sha256 == other.sha256
  }
}

extension DownloadState.Waiting {
  /// When the engine checks again.
  public var until: Timestamp {
    switch self {
    case .retry(let at, _): at
    case .storage(let until, _): until
    }
  }

  /// The error of the last attempt.
  public var error: DownloadError {
    switch self {
    case .retry(_, let error), .storage(_, let error): error
    }
  }

  public var reason: WaitingReason {
    switch self {
    case .retry: .retry
    case .storage: .storage
    }
  }
}

extension DownloadState {
  /// A state without its payload. Downloads are counted by it.
  ///
  /// Use: `download.state.kind`. `Condition.states([.failed])` selects by it, in a line `{"state": "failed"}`.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case queued, waiting, running, paused, completed, failed
  }

  public var kind: Kind {
    switch self {
    case .queued: .queued
    case .waiting: .waiting
    case .running: .running
    case .paused: .paused
    case .completed: .completed
    case .failed: .failed
    }
  }

  /// The error of the last attempt, if the download has failed with it, or waits to be tried again.
  public var failure: DownloadError? {
    switch self {
    case .failed(let error), .waiting(.retry(_, after: let error)): error
    case .queued, .waiting(.storage), .running, .paused, .completed: nil
    }
  }

  /// Whether a download may go from this state to another: the whole transition table.
  package func canBecome(_ next: DownloadState) -> Bool {
    switch (self, next) {
    case (.queued, .running(.connecting)), (.queued, .paused): true
    // The quota leaves no room, before any request.
    case (.queued, .waiting(let waiting)): waiting.reason == .storage
    // Its session could not log in.
    case (.queued, .failed(let error)): error.code == .unauthorized
    case (.waiting, .queued), (.waiting, .paused): true
    // Its time has come, and the quota leaves no room all the same.
    case (.waiting(.storage), .waiting(.storage)): true
    case (.running(let phase), .running(let nextPhase)): phase.canBecome(nextPhase)
    case (.running(.publishing(let intended)), .completed(let published)): intended.describesSameFile(as: published)
    case (.running, .queued), (.running, .waiting), (.running, .paused), (.running, .failed): true
    case (.paused, .queued): true
    case (.failed, .queued): true
    // A person moved the file inside the library, or edited it.
    case (.completed, .completed): true
    // A person put the file at its path, or has the episode's file already.
    case (.failed, .completed), (.queued, .completed), (.waiting, .completed), (.paused, .completed): true
    // A verification found the file damaged.
    case (.completed, .failed(let error)): error.code == .corruptFile
    case (.queued, _), (.waiting, _), (.running, .completed), (.paused, _), (.failed, _), (.completed, _): false
    }
  }
}

extension DownloadState.Phase {
  public var name: String {
    switch self {
    case .connecting: "connecting"
    case .receiving: "receiving"
    case .verifying: "verifying"
    case .publishing: "publishing"
    }
  }

  /// Whether an attempt may go from this phase to another. A changed file sends it back to connecting; a path that was
  /// taken meanwhile makes it publish under another.
  package func canBecome(_ next: Self) -> Bool {
    switch (self, next) {
    case (.connecting, .receiving), (.connecting, .verifying), (.receiving, .receiving), (.receiving, .verifying): true
    case (.connecting, .connecting), (.receiving, .connecting): true
    case (.connecting, .publishing), (.receiving, .publishing), (.verifying, .publishing): true
    case (.publishing, .publishing): true
    case (.verifying, _), (.publishing, _): false
    }
  }
}
