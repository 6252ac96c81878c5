/// What clients want of the cleanup (see the article Protocol).
///
/// ```swift
/// guard case .cleanup(let key) = try await podflux.dispatch(.cleanup(.run(.init(mode: .plan)))) else { return }
/// print("the steps of run \(key) are listed, and none is taken")
/// ```
public enum CleanupIntent: Hashable, Sendable {
  /// Start a run: compare rows and files, and resolve the differences.
  case run(CleanupRequest)
  /// Start a run that gives files the names that they would get now.
  case rename(RenameRequest)
  /// Start a run that pairs files that are there with episodes.
  case adopt(AdoptRequest)
  /// Cancel the active run, and the waiting one.
  case cancel
}

/// A client's request for a run. Nil values come from the settings at the time of the request.
///
/// ```swift
/// _ = try await podflux.dispatch(.cleanup(.run(CleanupRequest(missing: .redownload, orphans: .quarantine))))
/// ```
public struct CleanupRequest: Hashable, Sendable {
  /// Whether to change anything.
  public var mode: CleanupOptions.Mode
  /// What to do with downloads whose files are missing.
  public var missing: CleanupOptions.Missing
  /// What to do with orphans; nil for the settings' value.
  public var orphans: CleanupOptions.Orphans?
  /// Whether to compare the contents of all files with their recorded SHA-256.
  public var isDeep: Bool

  /// A request; by default it moves and deletes nothing unless the settings say so.
  public init(
    mode: CleanupOptions.Mode = .apply, missing: CleanupOptions.Missing = .forget,
    orphans: CleanupOptions.Orphans? = nil, isDeep: Bool = false
  ) {
    self.mode = mode
    self.missing = missing
    self.orphans = orphans
    self.isDeep = isDeep
  }

  /// A request for exactly these options, independent of the settings.
  public init(_ options: CleanupOptions) {
    self.init(mode: options.mode, missing: options.missing, orphans: options.orphans, isDeep: options.isDeep)
  }

  /// The run's options under these settings.
  package func options(under settings: Settings) -> CleanupOptions {
    CleanupOptions(mode: mode, missing: missing, orphans: orphans ?? settings.orphans, isDeep: isDeep)
  }
}

/// How a run resolves differences between rows and files: a `CleanupRequest` with the settings' values where it had
/// none.
///
/// Use: `run.options`.
public struct CleanupOptions: Hashable, Sendable, Codable {
  /// Whether a run changes anything.
  ///
  /// Use: `run.options.mode`; a request has `.apply` by default.
  public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
    /// List the decisions, and change nothing.
    case plan
    /// Carry the decisions out.
    case apply
  }

  /// What a run does with a completed download whose file is missing.
  ///
  /// Use: `run.options.missing`; a request has `.forget` by default.
  public enum Missing: String, Hashable, Sendable, Codable, CaseIterable {
    /// Remove the download; a row remembers that its file is gone.
    case forget
    /// Fetch it again.
    case redownload
    /// Make it failed, with `corrupt_file`.
    case mark
  }

  /// What a run does with an orphan: a file that no download owns.
  ///
  /// Use: `settings.orphans`, which counts where a request says nothing.
  public enum Orphans: String, Hashable, Sendable, Codable, CaseIterable {
    /// Move it to quarantine, from where it can be restored.
    case quarantine
    case delete
    /// Make it a completed download.
    case adopt
    /// Leave it, and report it.
    case report

    /// Whether the option takes files from their paths, which only a person can request.
    package var mayTake: Bool { self == .quarantine || self == .delete }
  }

  public var mode: Mode
  public var missing: Missing
  public var orphans: Orphans
  /// Whether to compare the contents of all files with their recorded SHA-256: this reads everything once.
  public var isDeep: Bool

  /// Options; by default those of a run at start with default settings.
  package init(
    mode: Mode = .apply, missing: Missing = .forget, orphans: Orphans = .report, isDeep: Bool = false
  ) {
    self.mode = mode
    self.missing = missing
    self.orphans = orphans
    self.isDeep = isDeep
  }
}
