/// Something on which rows and files do not agree, and what is to be done about it.
public struct CleanupStep: Hashable, Sendable {
  /// A step's number in its table. None is given twice.
  public typealias Key = Int64

  /// Its number; 0 until it has a row.
  public var key: Key
  /// What was found.
  public var finding: Finding
  /// What is to be done.
  public var decision: Decision
  /// Why, in one sentence.
  public var because: String
  /// How far it is.
  public var status: Status
  /// The download whose file it is, where the finding is about none: why the step was left.
  public var holder: DownloadID?

  /// What was found.
  public enum Finding: Hashable, Sendable, Codable {
    /// A completed download's file is gone.
    case missing(DownloadID, PublishedFile)
    /// A completed download's file lies elsewhere, or is another file with the same content. Whoever takes the step sees
    /// that it does, and that no file of the row lies at its former place: it may have been published since.
    case moved(DownloadID, from: PublishedFile, to: PublishedFile)
    /// Somebody has edited a completed download's file, or put an edited one in its place, and it is media still. Whoever
    /// takes the step sees that it is as it was found.
    case modified(DownloadID, from: PublishedFile, to: PublishedFile)
    /// A completed download's file has another length or content than was downloaded.
    case corrupt(DownloadID, PublishedFile, found: FoundFile)
    /// A file that no download knows.
    case orphan(FoundFile)
    /// A file that a download had or wants, and does not have; the SHA-256 is known if it was compared.
    case adoptable(FoundFile, owner: DownloadID, sha256: String?)
    /// A partial file that no download needs.
    case orphanPartial(FoundPartial)
    /// A partial file that is shorter than its row says: what is there, and the hash of its last 64 KiB. A length of 0
    /// says that it is gone, or that nothing of it is believed: whoever takes the step sees that it is shorter still.
    case partial(DownloadID, planned: ResumeRecord, length: Int64, tailHash: String)
    /// A file among the partial files that is none.
    case strayPartial(FoundFile)
    /// A folder that has become empty, and that the engine has made.
    case emptyFolder(EntryPath)
    /// A folder that cannot be read, a link, a device.
    case foreign(EntryPath)
    /// Files in quarantine that are older than the settings allow: how many bytes.
    case expiredQuarantine(before: Int64, bytes: Int64)
  }

  /// What is to be done.
  public enum Decision: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    /// The download goes.
    case forget
    /// The download is fetched again.
    case redownload
    /// The download becomes failed.
    case mark
    /// The row follows its file.
    case follow
    /// The file is moved to quarantine.
    case quarantine
    /// The file or folder is deleted.
    case delete
    /// The file becomes a completed download.
    case adopt
    /// The row's bytes are set right.
    case correct
    /// A person may adopt the file; nothing is done.
    case offer
    /// Nothing is done.
    case leave

    /// Whether anything is to be done at all.
    public var isAct: Bool { self != .offer && self != .leave }
  }

  /// How far a step is.
  public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    /// It has not been done.
    case planned
    /// It has been done.
    case done
    /// It was left, because what it was planned for does not hold any more, or could not be done.
    case left
  }

  /// What became of the part of a step that is done with files.
  public enum Outcome: Hashable, Sendable {
    /// The files are as the step expects them, or have been made so.
    case done
    /// They are not, or could not be made so; the message says why.
    case left(String)
  }

  /// The download that it is about.
  public var download: DownloadID? { finding.download ?? holder }

  /// Makes a step.
  public init(
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
  /// What was found, without what belongs to it.
  public enum Kind: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    case missing, moved, modified, corrupt, orphan, adoptable, foreign
    case orphanPartial = "orphan_partial"
    case partial
    case strayPartial = "stray_partial"
    case emptyFolder = "empty_folder"
    case expiredQuarantine = "expired_quarantine"
  }

  /// What was found, without what belongs to it.
  public var kind: Kind {
    switch self {
    case .missing: .missing
    case .moved: .moved
    case .modified: .modified
    case .corrupt: .corrupt
    case .orphan: .orphan
    case .adoptable: .adoptable
    case .orphanPartial: .orphanPartial
    case .partial: .partial
    case .strayPartial: .strayPartial
    case .emptyFolder: .emptyFolder
    case .foreign: .foreign
    case .expiredQuarantine: .expiredQuarantine
    }
  }

  /// The download that it is about.
  public var download: DownloadID? {
    switch self {
    case .missing(let id, _), .moved(let id, _, _), .modified(let id, _, _), .corrupt(let id, _, _),
      .adoptable(_, let id, _),
      .partial(let id, _, _, _):
      id
    case .orphanPartial(let partial): partial.download
    case .orphan, .strayPartial, .emptyFolder, .foreign, .expiredQuarantine: nil
    }
  }

  /// The place that it is about.
  public var place: EntryPath? {
    switch self {
    case .missing(_, let file), .moved(_, let file, _), .modified(_, let file, _): EntryPath(file.path)
    case .corrupt(_, _, let found), .orphan(let found), .adoptable(let found, _, _), .strayPartial(let found):
      found.place
    case .emptyFolder(let place), .foreign(let place): place
    case .orphanPartial, .partial, .expiredQuarantine: nil
    }
  }

  /// The file that was found and that no download had.
  var foundFile: FoundFile? {
    if case .orphan(let found) = self { found } else { nil }
  }

  /// Where the file is now, if it was moved.
  public var destination: LibraryPath? {
    if case .moved(_, _, let file) = self { file.path } else { nil }
  }

  /// Where a row's file is, if the row is to follow it: elsewhere, or where it was and edited.
  public var followedTo: LibraryPath? {
    switch self {
    case .moved(_, _, let file), .modified(_, _, let file): file.path
    default: nil
    }
  }

  /// How many bytes on the disk it is about.
  public var bytes: Int64 {
    switch self {
    case .missing, .emptyFolder, .foreign: 0
    case .moved(_, _, let file), .modified(_, _, let file): file.length
    case .corrupt(_, _, let found), .orphan(let found), .adoptable(let found, _, _), .strayPartial(let found):
      found.length
    case .orphanPartial(let partial): partial.length
    case .partial(_, _, let length, _): length
    case .expiredQuarantine(_, let bytes): bytes
    }
  }
}
