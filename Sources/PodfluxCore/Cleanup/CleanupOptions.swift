/// What a client can want of the cleanup (the article Cleanup).
public enum CleanupIntent: Hashable, Sendable {
  /// Compare rows and files, and put in order what differs.
  case run(CleanupRequest)
  /// End the run that is under way, and the one that waits.
  case cancel
}

/// What a client asks a run to do. What it leaves open the settings say, as they are when it asks.
public struct CleanupRequest: Hashable, Sendable {
  /// Whether anything is to be changed.
  public var mode: CleanupOptions.Mode
  /// What becomes of downloads whose files are gone.
  public var missing: CleanupOptions.Missing
  /// What becomes of files that no download knows; nil for what the settings say.
  public var orphans: CleanupOptions.Orphans?
  /// Whether the contents of all files are compared with their recorded SHA-256.
  public var isDeep: Bool

  /// Makes a request; by default one that moves and deletes nothing, unless the settings say so.
  public init(
    mode: CleanupOptions.Mode = .apply, missing: CleanupOptions.Missing = .forget,
    orphans: CleanupOptions.Orphans? = nil, isDeep: Bool = false
  ) {
    self.mode = mode
    self.missing = missing
    self.orphans = orphans
    self.isDeep = isDeep
  }

  /// Asks for exactly this, whatever the settings say.
  public init(_ options: CleanupOptions) {
    self.init(mode: options.mode, missing: options.missing, orphans: options.orphans, isDeep: options.isDeep)
  }

  /// What the run is to do, under these settings.
  public func options(under settings: Settings) -> CleanupOptions {
    CleanupOptions(mode: mode, missing: missing, orphans: orphans ?? settings.orphans, isDeep: isDeep)
  }
}

/// How rows and files are brought to agree.
public struct CleanupOptions: Hashable, Sendable, Codable {
  /// Whether anything is to be changed.
  public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The decisions are listed, and nothing is changed.
    case plan
    /// The decisions are carried out.
    case apply
  }

  /// What becomes of a completed download whose file is gone.
  public enum Missing: String, Hashable, Sendable, Codable, CaseIterable {
    /// The download goes too; what remains says that its file was removed.
    case forget
    /// It is fetched again.
    case redownload
    /// It becomes failed, with `corrupt_file`.
    case mark
  }

  /// What becomes of a file that no download knows.
  public enum Orphans: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is moved to where it can be restored from.
    case quarantine
    /// It is deleted.
    case delete
    /// It becomes a completed download.
    case adopt
    /// It is left where it is.
    case report

    /// Whether a person has said that files may be taken from where they lie.
    public var mayTake: Bool { self == .quarantine || self == .delete }
  }

  /// Whether anything is to be changed.
  public var mode: Mode
  /// What becomes of downloads whose files are gone.
  public var missing: Missing
  /// What becomes of files that no download knows.
  public var orphans: Orphans
  /// Whether the contents of all files are compared with their recorded SHA-256: everything is read once.
  public var isDeep: Bool

  /// Makes options; by default those of a pass at a start that nobody has set anything for.
  public init(
    mode: Mode = .apply, missing: Missing = .forget, orphans: Orphans = .report, isDeep: Bool = false
  ) {
    self.mode = mode
    self.missing = missing
    self.orphans = orphans
    self.isDeep = isDeep
  }
}
