/// A difference between rows and files, and how to resolve it.
///
/// ```swift
/// for step in cleanup.steps where step.status == .left {
///   print(step.finding.place?.text ?? "", step.decision.rawValue, "was not done:", step.because)
/// }
/// ```
public struct CleanupStep: Hashable, Sendable {
  /// A step's number in its table, never reused.
  ///
  /// Use: `step.key`.
  public typealias Key = Int64

  /// Its number; 0 until it has a row.
  public var key: Key
  public var finding: Finding
  public var decision: Decision
  /// The reason, in one sentence.
  public var because: String
  public var status: Status
  /// The download that owns the file, if the finding names none: the reason why the step was left.
  public var holder: DownloadID?
  /// How a file is moved to its new name; set when the effect is issued, and never stored.
  package var move: Move?

  /// How a file is moved to its new name.
  package struct Move: Hashable, Sendable {
    /// The folders on its former path that the engine created: they go if they are empty then. The innermost is the
    /// first.
    package var ownFolders: [LibraryPath]
    /// Whether a name counts as taken if case-insensitive disks would confuse it with another one.
    package var isPortable: Bool
    /// Whether an engine that has ended may have been moving it.
    package var mayHaveBegun: Bool

    package init(ownFolders: [LibraryPath] = [], isPortable: Bool = true, mayHaveBegun: Bool = false) {
      self.ownFolders = ownFolders
      self.isPortable = isPortable
      self.mayHaveBegun = mayHaveBegun
    }
  }

  /// A difference between rows and files, with the rows and files that it is about.
  ///
  /// ```swift
  /// switch step.finding {
  /// case .missing(let id, let file, instead: _): print(id, "has lost", file.path)
  /// case .orphan(let file): print(file.place.text, "belongs to no download")
  /// default: print(step.finding.kind.rawValue, step.finding.place?.text ?? "")
  /// }
  /// ```
  public enum Finding: Hashable, Sendable, Codable {
    /// A completed download's file is gone. `instead` is another download's file in its place, which may have its
    /// inode. The executor checks that no other file is there by now.
    case missing(DownloadID, PublishedFile, instead: FoundFile? = nil)
    /// A completed download's file has another path, or another file has the same content. The executor checks that,
    /// and that the row's file is not back at its former path: it may have been published since.
    case moved(DownloadID, from: PublishedFile, to: PublishedFile)
    /// Another program edited a completed download's file, or replaced it by an edited one, and it is still media. The
    /// executor checks that it is unchanged since the survey.
    case modified(DownloadID, from: PublishedFile, to: PublishedFile)
    /// A completed download's file has another length or content than was downloaded.
    case corrupt(DownloadID, PublishedFile, found: FoundFile)
    /// A completed download's file would get another name now. The executor checks that it is unchanged, and moves it.
    case misnamed(DownloadID, PublishedFile, to: LibraryPath)
    /// A file that no download owns.
    case orphan(FoundFile)
    /// A file that a download had or wants, and does not have; the SHA-256 is known if it was compared.
    case adoptable(FoundFile, owner: DownloadID, sha256: String?)
    /// A media file that no download owns, and the episode whose file it is, or may be. The executor checks that it is
    /// unchanged since the survey.
    case episodeFile(FoundFile, EpisodePairing)
    /// A partial file that no download needs.
    case orphanPartial(FoundPartial)
    /// A partial file is shorter than its row says: its length, and the hash of its last 64 KiB. A length of 0 means
    /// that it is gone or not trusted. The executor checks that it is still shorter.
    case partial(DownloadID, planned: ResumeRecord, length: Int64, tailHash: String)
    /// A file in the folder of partial files that is not a partial file.
    case strayPartial(FoundFile)
    /// An empty folder that the engine created.
    case emptyFolder(EntryPath)
    /// An unreadable folder, a link, a device.
    case foreign(EntryPath)
    /// Expired files in quarantine, and their total size.
    case expiredQuarantine(before: Int64, bytes: Int64)
  }

  /// How a step resolves its finding.
  ///
  /// Use: `step.decision`; `isAct` tells whether it changes anything.
  public enum Decision: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    /// Remove the download.
    case forget
    /// Fetch the download again.
    case redownload
    /// Make the download failed.
    case mark
    /// Update the row to its file.
    case follow
    /// Give the file its new name.
    case rename
    /// Move the file to quarantine.
    case quarantine
    /// Delete the file or folder.
    case delete
    /// Make the file a completed download.
    case adopt
    /// Correct the row's durable bytes.
    case correct
    /// Do nothing; a person may adopt the file.
    case offer
    /// Do nothing.
    case leave

    /// Whether the decision changes anything.
    public var isAct: Bool { self != .offer && self != .leave }
  }

  /// Whether a step was taken. A planned one is still to be taken, unless its run only plans.
  ///
  /// Use: `step.status`.
  public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    case planned
    case done
    /// Not done: the finding no longer holds, or the change failed.
    case left
  }

  /// The result of a step's work on files.
  package enum Outcome: Hashable, Sendable {
    /// The files are as the step requires.
    case done
    /// The file has its new name, and the engine has created these folders for it, the outermost first.
    case moved(madeFolders: [LibraryPath])
    /// The rows are not as the step says; the message says why.
    case left(String)
  }

  /// The download that it concerns.
  public var download: DownloadID? { finding.download ?? holder }

  /// Whether its result belongs in a run's deeds: it changes something, and concerns more than an empty partial file.
  public var isDeed: Bool { decision.isAct && (finding.kind != .orphanPartial || finding.bytes > 0) }

  package init(
    key: Key = 0, finding: Finding, decision: Decision, because: String, status: Status? = nil,
    holder: DownloadID? = nil
  ) {
    self.key = key
    self.finding = finding
    self.decision = decision
    self.because = because
    self.status = status ?? (decision.isAct ? .planned : .left)
    self.holder = holder
  }
}

extension CleanupStep.Finding {
  /// A finding without what it is about. Runs are tallied by it.
  ///
  /// Use: `step.finding.kind`.
  public enum Kind: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    case missing, moved, modified, corrupt, orphan, adoptable, foreign
    case orphanPartial = "orphan_partial"
    case partial
    case strayPartial = "stray_partial"
    case emptyFolder = "empty_folder"
    case expiredQuarantine = "expired_quarantine"
    case misnamed
    case episodeFile = "episode_file"
  }

  public var kind: Kind {
    switch self {
    case .missing: .missing
    case .moved: .moved
    case .modified: .modified
    case .corrupt: .corrupt
    case .misnamed: .misnamed
    case .orphan: .orphan
    case .adoptable: .adoptable
    case .episodeFile: .episodeFile
    case .orphanPartial: .orphanPartial
    case .partial: .partial
    case .strayPartial: .strayPartial
    case .emptyFolder: .emptyFolder
    case .foreign: .foreign
    case .expiredQuarantine: .expiredQuarantine
    }
  }

  /// The download that it concerns.
  public var download: DownloadID? {
    switch self {
    case .missing(let id, _, _), .moved(let id, _, _), .modified(let id, _, _), .corrupt(let id, _, _),
      .misnamed(let id, _, _), .adoptable(_, let id, _), .partial(let id, _, _, _):
      id
    case .orphanPartial(let partial): partial.download
    case .orphan, .episodeFile, .strayPartial, .emptyFolder, .foreign, .expiredQuarantine: nil
    }
  }

  /// The path that it concerns.
  public var place: EntryPath? {
    switch self {
    case .missing(_, let file, _), .moved(_, let file, _), .modified(_, let file, _), .misnamed(_, let file, _):
      EntryPath(file.path)
    case .corrupt(_, _, let found), .orphan(let found), .adoptable(let found, _, _), .strayPartial(let found),
      .episodeFile(let found, _):
      found.place
    case .emptyFolder(let place), .foreign(let place): place
    case .orphanPartial, .partial, .expiredQuarantine: nil
    }
  }

  /// The path that its download's row leaves, which others may be waiting for: what is damaged may lie at another one.
  var leftPlace: EntryPath? {
    if case .corrupt(_, let file, _) = self { EntryPath(file.path) } else { place }
  }

  /// The file, if no download owned it.
  var foundFile: FoundFile? {
    switch self {
    case .orphan(let found), .episodeFile(let found, _): found
    default: nil
    }
  }

  /// The file's episode, or those that it may be.
  public var pairing: EpisodePairing? {
    if case .episodeFile(_, let pairing) = self { pairing } else { nil }
  }

  /// The current path of a moved file, or the new one of a file that is renamed.
  public var destination: LibraryPath? {
    switch self {
    case .moved(_, _, let file): file.path
    case .misnamed(_, _, let path): path
    default: nil
    }
  }

  /// The path to which the row should be updated: another one, or its own after an edit.
  public var followedTo: LibraryPath? {
    switch self {
    case .moved(_, _, let file), .modified(_, _, let file): file.path
    default: nil
    }
  }

  /// How many bytes on the disk it concerns.
  public var bytes: Int64 {
    switch self {
    case .missing, .emptyFolder, .foreign: 0
    case .moved(_, _, let file), .modified(_, _, let file), .misnamed(_, let file, _): file.length
    case .corrupt(_, _, let found), .orphan(let found), .adoptable(let found, _, _), .strayPartial(let found),
      .episodeFile(let found, _):
      found.length
    case .orphanPartial(let partial): partial.length
    case .partial(_, _, let length, _): length
    case .expiredQuarantine(_, let bytes): bytes
    }
  }
}
