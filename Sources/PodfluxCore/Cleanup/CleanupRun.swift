import Flux

/// A pass over rows and files.
public struct CleanupRun: Hashable, Sendable, Codable {
  /// A run's number: the sequence number of the action that asked for it.
  public typealias Key = Int64

  /// Its number.
  public var key: Key
  /// What it is to do.
  public var options: CleanupOptions
  /// Who wanted it.
  public var cause: Cause
  /// How far it is.
  public var stage: Stage
  /// When it was asked for.
  public var askedAt: Timestamp
  /// When it ended.
  public var endedAt: Timestamp?
  /// Why it was refused, or failed, or did not look at everything.
  public var reason: String?
  /// What was found and what came of it.
  public var tallies: [CleanupStep.Finding.Kind: Tally] = [:]
  /// What was done, and what was left although it was to be done; nil in runs of versions that did not count it.
  var keptDeeds: [Deed]?
  /// Whether a client has ended it; the steps that were under way then may still be.
  public var isCancelled = false
  /// How many bytes are free that were not before.
  public var freedBytes: Int64 = 0
  /// What the library's bytes are, as it was found.
  public var usage: Usage?

  /// Who wanted a run.
  public enum Cause: String, Hashable, Sendable, Codable {
    /// The engine, at its start.
    case start
    /// A client.
    case client
  }

  /// How far a run is.
  public enum Stage: String, Hashable, Sendable, Codable {
    /// Another one is under way.
    case waiting
    /// Rows and files are compared; nothing is changed.
    case looking
    /// What was decided is done, step by step.
    case acting
    /// It has come to its end.
    case done
    /// A client ended it; what had been done by then stays.
    case cancelled
    /// The library is not to be judged now, and nothing was changed.
    case refused
    /// It could not look.
    case failed

    /// Whether nothing more will come of it.
    public var isEnd: Bool {
      switch self {
      case .waiting, .looking, .acting: false
      case .done, .cancelled, .refused, .failed: true
      }
    }
  }

  /// How much of something there was.
  public struct Tally: Hashable, Sendable, Codable {
    /// How many were found.
    public var found = 0
    /// How many bytes on the disk that concerns.
    public var bytes: Int64 = 0
    /// How many have been put in order.
    public var done = 0
    /// How many were left.
    public var left = 0

    /// Of nothing.
    public init() {}
  }

  /// What a library's bytes are.
  public struct Usage: Hashable, Sendable, Codable {
    /// Bytes of files that downloads have.
    public var media: Int64
    /// Bytes of partial files.
    public var partial: Int64
    /// Bytes of files in quarantine.
    public var quarantine: Int64
    /// Bytes of the database.
    public var database: Int64
    /// Bytes of files that no download has.
    public var other: Int64

    /// Makes a usage; of nothing, by default.
    public init(media: Int64 = 0, partial: Int64 = 0, quarantine: Int64 = 0, database: Int64 = 0, other: Int64 = 0) {
      self.media = media
      self.partial = partial
      self.quarantine = quarantine
      self.database = database
      self.other = other
    }
  }

  /// Makes a run that waits.
  public init(key: Key, options: CleanupOptions, cause: Cause, askedAt: Timestamp) {
    self.key = key
    self.options = options
    self.cause = cause
    self.askedAt = askedAt
    stage = .waiting
  }

  mutating func count(_ step: CleanupStep) {
    tallies[step.finding.kind, default: Tally()].found += 1
    let bytes = tallies[step.finding.kind, default: Tally()].bytes
    tallies[step.finding.kind, default: Tally()].bytes = bytes.addingClamped(step.finding.bytes)
    if step.status == .left { tallies[step.finding.kind, default: Tally()].left += 1 }
  }

  mutating func finish(_ step: CleanupStep, as status: CleanupStep.Status) {
    note(step, as: status)
    switch status {
    case .done:
      tallies[step.finding.kind, default: Tally()].done += 1
      if step.decision == .delete { freedBytes = freedBytes.addingClamped(step.finding.bytes) }
    case .left: tallies[step.finding.kind, default: Tally()].left += 1
    case .planned: break
    }
  }
}

/// How far looking is. It is shown, and never written.
public struct CleanupProgress: Hashable, Sendable {
  /// How many files have been looked at.
  public var files: Int
  /// How many bytes have been read to compare contents.
  public var readBytes: Int64

  /// Tells how far it is.
  public init(files: Int, readBytes: Int64) {
    self.files = files
    self.readBytes = readBytes
  }
}

/// What the service that compares rows and files tells.
public enum CleanupNews: Hashable, Sendable {
  /// It goes on.
  case progress(CleanupProgress)
  /// Some of what it has found; the next is told when that is committed.
  case found([CleanupStep])
  /// It has looked at everything; what the library's bytes are, and what is to be said beside, if anything.
  case complete(CleanupRun.Usage, remark: String?)
  /// The library is not to be judged now: one sentence says why and what would help.
  case refused(String)
  /// It could not look: one sentence says why.
  case failed(String)
}
