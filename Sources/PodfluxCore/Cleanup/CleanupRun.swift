import Flux

/// A run of the cleanup over rows and files, or one that gives files new names, or pairs files with episodes.
///
/// ```swift
/// for await cleanup in podflux.cleanup() {
///   guard let run = cleanup.run, run.stage.isEnd else { continue }
///   print(run.stage.rawValue, run.reason ?? "", run.freedBytes, "bytes freed")
/// }
/// ```
public struct CleanupRun: Hashable, Sendable, Codable {
  /// A run's number: the sequence number of the action that requested it.
  ///
  /// Use: `run.key`; the reply `Reply.cleanup` has it when the run is asked for.
  public typealias Key = Int64

  public var key: Key
  public var options: CleanupOptions
  /// The files that the run renames; nil if it renames none.
  public var renaming: Renaming?
  /// The files that the run pairs with episodes; nil if it pairs none.
  public var adopting: Adopting?
  public var cause: Cause
  public var stage: Stage
  /// When it was requested.
  public var askedAt: Timestamp
  public var endedAt: Timestamp?
  /// Since when runs have been refused, before this one: files that were completed later prove nothing about the disk
  /// of the others. nil if the last one could judge the library.
  public var doubtedSince: Timestamp?
  /// Why it was refused, failed, or did not survey everything.
  public var reason: String?
  /// The findings and their results, by kind.
  public var tallies: [CleanupStep.Finding.Kind: Tally] = [:]
  /// What was done, and what was planned but left; nil in runs of versions that did not record it.
  var keptDeeds: [Deed]?
  /// Whether a client cancelled it; its running steps may still complete.
  public var isCancelled = false
  /// How many bytes the run freed.
  public var freedBytes: Int64 = 0
  /// The library's size by category, according to the survey.
  public var usage: Usage?

  /// What started a run.
  ///
  /// Use: `run.cause`.
  public enum Cause: String, Hashable, Sendable, Codable {
    /// The engine, at its start.
    case start
    case client
  }

  /// How far a run has come. The last four are final.
  ///
  /// Use: `run.stage`.
  public enum Stage: String, Hashable, Sendable, Codable {
    /// Another run is active.
    case waiting
    /// The survey compares rows and files; nothing changes.
    case looking
    /// The decided steps are being done.
    case acting
    case done
    /// A client cancelled it; completed steps stay.
    case cancelled
    /// The library cannot be judged now; nothing was changed.
    case refused
    /// The survey failed.
    case failed

    /// Whether the run has ended.
    public var isEnd: Bool {
      switch self {
      case .waiting, .looking, .acting: false
      case .done, .cancelled, .refused, .failed: true
      }
    }
  }

  /// The numbers for one kind of finding.
  ///
  /// Use: `run.tallies[.orphan]`, nil if nothing of the kind was found.
  public struct Tally: Hashable, Sendable, Codable {
    /// How many were found.
    public var found = 0
    /// How many bytes on the disk they concern.
    public var bytes: Int64 = 0
    /// How many were resolved.
    public var done = 0
    /// How many were left.
    public var left = 0

    package init() {}
  }

  /// How many bytes a library has on its disk, by category.
  ///
  /// Use: `run.usage`, nil until the survey is complete, and of runs that rename or adopt.
  public struct Usage: Hashable, Sendable, Codable {
    /// Bytes of files that downloads own.
    public var media: Int64
    /// Bytes of partial files.
    public var partial: Int64
    /// Bytes of files in quarantine.
    public var quarantine: Int64
    /// Bytes of the database.
    public var database: Int64
    /// Bytes of files that no download owns.
    public var other: Int64

    package init(media: Int64 = 0, partial: Int64 = 0, quarantine: Int64 = 0, database: Int64 = 0, other: Int64 = 0) {
      self.media = media
      self.partial = partial
      self.quarantine = quarantine
      self.database = database
      self.other = other
    }
  }

  package init(
    key: Key, options: CleanupOptions, renaming: Renaming? = nil, adopting: Adopting? = nil, cause: Cause,
    askedAt: Timestamp
  ) {
    self.key = key
    self.options = options
    self.renaming = renaming
    self.adopting = adopting
    self.cause = cause
    self.askedAt = askedAt
    stage = .waiting
  }

  /// Since when the library has been in doubt once this run has ended; nil if the run could judge it.
  var doubtAfterwards: Timestamp? {
    switch stage {
    case .refused: doubtedSince ?? askedAt
    case .done where isCleanup: nil
    case .waiting, .looking, .acting, .done, .cancelled, .failed: doubtedSince
    }
  }

  /// Whether it compares rows and files, and does nothing else.
  public var isCleanup: Bool { renaming == nil && adopting == nil }

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

/// How far the survey of a run is. Clients see it; it is never stored.
///
/// Use: `cleanup.progress`, nil while nothing is surveyed.
public struct CleanupProgress: Hashable, Sendable {
  /// How many files have been surveyed.
  public var files: Int
  /// How many bytes have been read to compare contents.
  public var readBytes: Int64

  package init(files: Int, readBytes: Int64) {
    self.files = files
    self.readBytes = readBytes
  }
}

/// A report of the survey service.
package enum CleanupNews: Hashable, Sendable {
  /// The survey continues.
  case progress(CleanupProgress)
  /// A page of steps; the service sends the next one after this is committed.
  case found([CleanupStep])
  /// The survey is complete: the library's size by category, and a remark for the user, if any.
  case complete(CleanupRun.Usage, remark: String?)
  /// The library cannot be judged now: one sentence with the reason and the remedy.
  case refused(String)
  /// The survey failed: one sentence with the reason.
  case failed(String)
}
