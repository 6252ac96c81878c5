import Flux

/// Where a download is in its life. What belongs to one state only exists in that state.
public enum DownloadState: Hashable, Sendable {
  /// Runs once a slot is free, no obstacle is in its way, and nothing of its name is left to end. While an obstacle is
  /// in its way clients see it as waiting for that; the row stays queued (`Obstacle`).
  case queued
  /// Blocked; goes on by itself when the reason goes.
  case waiting(Waiting)
  /// An attempt is under way.
  case running(Phase)
  /// A person said so.
  case paused
  /// The file is published.
  case completed(PublishedFile)
  /// Nothing happens until somebody asks.
  case failed(DownloadError)

  /// Why a download waits.
  public enum Waiting: Hashable, Sendable {
    /// The last attempt failed with this error; the next begins then.
    case retry(at: Timestamp, after: DownloadError)
    /// There was no room on the disk; whether there is now is looked at then. No attempt is counted.
    case storage(until: Timestamp, after: DownloadError)
  }

  /// What an attempt is doing.
  public enum Phase: Hashable, Sendable {
    case connecting
    case receiving
    case verifying
    /// The complete partial is about to be, or has been, renamed: the row knows where to.
    case publishing(PublishedFile)
  }
}

/// A complete file and its place.
public struct PublishedFile: Hashable, Sendable, Codable {
  /// Where it is, relative to the library.
  public var path: LibraryPath
  /// Its length in bytes.
  public var length: Int64
  /// Which file it is, so that after a crash a file of that name is not taken for it: rename keeps the inode.
  public var inode: UInt64
  /// Its SHA-256 in hexadecimal digits, where the settings or the client wanted it.
  public var sha256: String?
  /// When it was written to last, as its file system says (st_mtim of stat(2)), in nanoseconds since 1970; nil where that
  /// was not recorded. Whoever edits a file moves it on; what rots does not.
  public var modifiedNanoseconds: Int64?

  /// Makes a description of a published file.
  public init(
    path: LibraryPath, length: Int64, inode: UInt64, sha256: String? = nil, modifiedNanoseconds: Int64? = nil
  ) {
    self.path = path
    self.length = length
    self.inode = inode
    self.sha256 = sha256
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  /// Whether both describe one file, whenever it was written to.
  public func describesSameFile(as other: PublishedFile) -> Bool {
    path == other.path && length == other.length && inode == other.inode && sha256 == other.sha256
  }
}

extension DownloadState.Waiting {
  /// When it is looked at again.
  public var until: Timestamp {
    switch self {
    case .retry(let at, _): at
    case .storage(let until, _): until
    }
  }

  /// What the last attempt failed with.
  public var error: DownloadError {
    switch self {
    case .retry(_, let error), .storage(_, let error): error
    }
  }

  /// What it waits for.
  public var reason: WaitingReason {
    switch self {
    case .retry: .retry
    case .storage: .storage
    }
  }
}

extension DownloadState {
  /// The state's name, without what belongs to it.
  public enum Kind: String, Sendable, CaseIterable {
    case queued, waiting, running, paused, completed, failed
  }

  /// The state's name.
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

  /// Whether the life of a download may go from this state to that one: the whole transition table.
  public func canBecome(_ next: DownloadState) -> Bool {
    switch (self, next) {
    case (.queued, .running(.connecting)), (.queued, .paused): true
    // The quota is found to leave no room before anybody is asked.
    case (.queued, .waiting(let waiting)): waiting.reason == .storage
    case (.waiting, .queued), (.waiting, .paused): true
    case (.running(let phase), .running(let nextPhase)): phase.canBecome(nextPhase)
    case (.running(.publishing(let intended)), .completed(let published)): intended.describesSameFile(as: published)
    case (.running, .queued), (.running, .waiting), (.running, .paused), (.running, .failed): true
    case (.paused, .queued): true
    case (.failed, .queued): true
    // A person has moved the file inside the library, or edited it.
    case (.completed, .completed): true
    // A person has put the file where it belongs.
    case (.failed, .completed): true
    // Read again, the file was not what it had been.
    case (.completed, .failed(let error)): error.code == .corruptFile
    case (.queued, _), (.waiting, _), (.running, .completed), (.paused, _), (.failed, _), (.completed, _): false
    }
  }
}

extension DownloadState.Phase {
  /// The phase's name.
  public var name: String {
    switch self {
    case .connecting: "connecting"
    case .receiving: "receiving"
    case .verifying: "verifying"
    case .publishing: "publishing"
    }
  }

  /// Whether an attempt may go on from this phase to that one. A changed file sends it back to connecting; a name that
  /// was taken meanwhile makes it publish under another.
  public func canBecome(_ next: Self) -> Bool {
    switch (self, next) {
    case (.connecting, .receiving), (.connecting, .verifying), (.receiving, .receiving), (.receiving, .verifying): true
    case (.connecting, .connecting), (.receiving, .connecting): true
    case (.connecting, .publishing), (.receiving, .publishing), (.verifying, .publishing): true
    case (.publishing, .publishing): true
    case (.verifying, _), (.publishing, _): false
    }
  }
}
