import Flux

/// Applies the steps of a cleanup to the rows of downloads. Each step is checked against the rows as they are now.
extension DownloadsStore {
  private static let isUnnameable = "its name is none that a download could keep; rename it"
  private static let isKept = "another download's row says that its file is there"

  /// Does with the rows what a step says, its files having been found, or made, as it expects them.
  mutating func apply(_ step: CleanupStep, in turn: inout StoreTurn<Self>) throws -> DownloadsEvent.StepOutcome {
    if let reason = try change(step, in: &turn) { return .left(reason) }
    switch step.finding {
    case .orphanPartial(let partial):
      return try turn.tables.deletions.owedPartial(of: partial.download).map { .owed($0) } ?? .done
    default: return try step.owedMove(in: turn).map { .owed($0) } ?? .done
    }
  }

  /// - Returns: why it was not done after all; nil if it was.
  private mutating func change(_ step: CleanupStep, in turn: inout StoreTurn<Self>) throws -> String? {
    if let obstacle = try step.obstacle(besides: live, in: turn) { return obstacle }
    switch step.finding {
    case .missing(let id, let file, _):
      guard let download = try turn.tables.downloads.find(id) else { return CleanupStep.hasChanged }
      try lose(download, file, step.decision, in: &turn)
    case .corrupt(let id, let file, let found):
      guard var download = try turn.tables.downloads.find(id) else { return CleanupStep.hasChanged }
      let nameable = found.published(sha256: nil)
      guard step.decision == .mark || nameable != nil else { return Self.isUnnameable }
      let message = "the file \"\(file.path)\" was damaged: \(step.because)"
      // A file that is only marked stays where it is: what is fetched again gets another name, or none.
      let remains = step.decision == .mark ? nil : nameable
      var seen = file
      (seen.path, seen.inode) = (found.place.libraryPath ?? file.path, found.inode)
      try condemn(&download, message, .init(file: seen, cause: .corrupt), remains: remains, in: &turn)
      if step.decision == .redownload { try fetchAgain(&download, in: turn) }
    case .moved(let id, let former, let file), .modified(let id, let former, let file):
      guard var download = try turn.tables.downloads.find(id) else { return CleanupStep.hasChanged }
      try follow(&download, from: former, to: file, in: &turn)
    case .misnamed(let id, let former, let path):
      guard var download = try turn.tables.downloads.find(id) else { return CleanupStep.hasChanged }
      var file = former
      file.path = path
      try follow(&download, from: former, to: file, in: &turn)
    case .orphan(let found):
      guard step.decision == .adopt else { break }
      return try adopt(found, owner: nil, sha256: nil, in: &turn)
    case .adoptable(let found, let owner, let sha256):
      return try adopt(found, owner: owner, sha256: sha256, in: &turn)
    case .episodeFile(let found, let pairing):
      guard let episode = pairing.episodes.first else { return CleanupStep.hasChanged }
      return try adopt(found, for: episode, in: &turn)
    case .orphanPartial(let partial): try disownPartial(of: partial.download, in: &turn)
    case .partial(let id, let planned, let length, let tailHash):
      guard var download = try turn.tables.downloads.find(id) else { return CleanupStep.hasChanged }
      download.progress.correct(planned, to: length, tailHash: tailHash)
      try update(download, in: turn)
      // What may be left is of no use.
      if length == 0 { try disownPartial(of: id, in: &turn) }
    case .emptyFolder, .strayPartial, .foreign, .expiredQuarantine: break
    }
    return nil
  }

  /// A completed download's row follows its file, wherever it lies and however it has been edited.
  mutating func follow(
    _ download: inout Download, from former: PublishedFile, to file: PublishedFile, in turn: inout StoreTurn<Self>
  ) throws {
    let isSame = file.length == former.length && file.sha256 == former.sha256
    if !isSame || (file.sha256 == nil && file.hasOtherTime(than: former)) {
      turn.tell(.downloads(.edited(download.id)))
      // File systems store any time, but nothing was changed later than now.
      download.dates.modified = file.modified.map { min($0, turn.now) } ?? turn.now
    }
    // The counters describe the downloaded bytes. A tagged file has differed from them since it was published, so that
    // its later lengths do not change them.
    if download.original == nil {
      download.progress.durable = file.length
      download.progress.total = file.length
    }
    try transition(&download, to: .completed(file), in: turn)
  }

  /// A file is where a step has moved it, or has left it. If its download was removed meanwhile, its deletion may begin
  /// now.
  mutating func endRenaming(_ step: CleanupStep, isMoved: Bool, in turn: borrowing StoreTurn<Self>) throws {
    guard case .misnamed(let id, var file, let path) = step.finding else { return }
    checks.renames[id] = nil
    if checks.owed.underWay.values.contains(where: { $0.download == id }) { checks.renamedWhileRead.insert(id) }
    guard live[id] == nil else { return }
    // A download that was enqueued under the same id since waits for the deletions, too.
    if !isMoved, file.inode == FoundFile.unknownInode, try !turn.tables.downloads.contains(id) {
      // Another file has the former name; without a lasting inode it could not be told from this one.
      file.path = path
      _ = try turn.tables.deletions.spare(file)
    }
    try turn.tables.deletions.makeReady(id)
    deletions.oweMore()
  }

  private mutating func lose(
    _ download: Download, _ file: PublishedFile, _ decision: CleanupStep.Decision, in turn: inout StoreTurn<Self>
  ) throws {
    var download = download
    if decision == .forget {
      try turn.tables.formerFiles.insert(
        FormerFile(of: download, file, .missing), at: turn.now)
      try turn.tables.downloads.delete(download.id)
      tellLeft(download.session, in: &turn)
      turn.announce(.removed(download.id))
      turn.tell(.downloads(.removed(download.id, file, withFile: true)))
      return count(.completed, -1)
    }
    try condemn(
      &download, "the file \"\(file.path)\" is gone", .init(file: file, cause: .missing), remains: nil, in: &turn)
    if decision == .redownload { try fetchAgain(&download, in: turn) }
  }

  /// It begins once nothing of its name is about to be deleted: a partial file that it had before it was adopted, for
  /// instance.
  private mutating func fetchAgain(_ download: inout Download, in turn: borrowing StoreTurn<Self>) throws {
    let isOwed = try turn.tables.deletions.holds(download.id)
    download.isHeld = isOwed || live[download.id] != nil
    try transition(&download, to: .queued, in: turn)
  }

  /// The file that a completed download has lost, and why.
  struct Loss {
    var file: PublishedFile
    var cause: FormerFile.Cause
  }

  /// A completed download's file is not what it was: it fails, and what remains, where it may be taken, is owed its
  /// move to quarantine.
  mutating func condemn(
    _ download: inout Download, _ message: String, _ loss: Loss, remains: PublishedFile?, in turn: inout StoreTurn<Self>
  ) throws {
    guard case .completed = download.state else { return }
    // A file that went missing leaves its name and its inode to others, perhaps to the file of another download.
    if let remains, try !turn.tables.downloads.isClaimed(remains, otherThanBy: download.id) {
      try turn.tables.deletions.insert(
        Deletion(download: download.id, file: remains, fate: .quarantined), isReady: live[download.id] == nil)
      deletions.oweMore()
    }
    // Changes of all downloads at once take it as they find it.
    let isOwed = try turn.tables.deletions.holds(download.id)
    download.isHeld = isOwed || live[download.id] != nil
    try turn.tables.formerFiles.insert(
      FormerFile(of: download, loss.file, loss.cause), at: turn.now)
    // The download may be marked for a verification; only a completed one has a file to read.
    try turn.tables.verifications.forget(download.id)
    download.progress = .init(discarded: download.progress.discarded)
    (download.dates.finished, download.dates.modified) = (nil, nil)
    try transition(&download, to: .failed(DownloadError(.corruptFile, message)), in: turn)
    turn.tell(.downloads(.lost(download.id, loss.file)))
  }

  // MARK: Adoption

  /// Makes a file a completed download: of the one that had it or wants it, of a new one otherwise.
  private mutating func adopt(
    _ found: FoundFile, owner: DownloadID?, sha256: String?, in turn: inout StoreTurn<Self>
  ) throws -> String? {
    guard let file = found.published(sha256: sha256) else { return "its name is none that a download could keep" }
    let id = owner ?? DownloadID(from: &turn.random)
    // Two rows with one path could not both follow the file there.
    guard try turn.tables.downloads.completedDownloads(at: file.path, otherThan: id).isEmpty else { return Self.isKept }
    let former = try owner.flatMap { try turn.tables.formerFiles.formerFile(of: $0, at: file.path) }
    if let owner { try turn.tables.formerFiles.forgetFormerFiles(of: owner, having: file) }
    if let owner, let download = try turn.tables.downloads.find(owner) {
      return try complete(download, with: file, in: &turn)
    }
    guard let address = former?.address ?? WebAddress(ofAdopted: found.place) else {
      return "its name makes no address"
    }
    // A file that was only missing keeps the origin of its former download.
    let origin = former?.cause == .missing ? former?.origin : nil
    let episode = try owner.flatMap { try turn.tables.episodes.find(having: $0) }
    let feed = try episode.flatMap { try turn.tables.feeds.find($0.feed) }
    var description = Download.Description(
      podcast: file.path.components.dropLast().last, title: former?.title ?? FileExtension.stem(of: file.path.name),
      published: former?.published.map { PublicationDate($0) })
    if let episode, let feed, let wish = DownloadIntent.Enqueue(of: episode, in: feed) {
      description = wish.description
    }
    try insert(id, at: address, description, origin: origin ?? .user, having: file, in: &turn)
    if let episode {
      turn.tell(.downloads(.enqueued(episode.id, id, isNew: false)))
      if origin == .auto { turn.tell(.downloads(.returned(episode.id))) }
    }
    return nil
  }

  /// Makes a file the completed download of an episode. Rules count it as there before, and never delete it.
  private mutating func adopt(
    _ found: FoundFile, for episode: EpisodeID, in turn: inout StoreTurn<Self>
  ) throws -> String? {
    guard let file = found.published(sha256: nil) else { return Self.isUnnameable }
    let adoption = try EpisodeAdoption(of: episode, in: turn)
    if let obstacle = adoption.obstacle { return obstacle }
    guard let wish = adoption.wish else { return CleanupStep.hasChanged }
    let id = adoption.owner ?? DownloadID(from: &turn.random)
    guard try turn.tables.downloads.completedDownloads(at: file.path, otherThan: id).isEmpty else { return Self.isKept }
    if adoption.owner != nil, var download = try turn.tables.downloads.find(id) {
      download.origin = .user
      try turn.tables.formerFiles.forgetFormerFiles(of: id, having: file)
      if let obstacle = try complete(download, with: file, in: &turn) { return obstacle }
    } else {
      try insert(id, at: wish.address, wish.description, on: wish.network, having: file, in: &turn)
    }
    assign(id, to: wish.episode)
    turn.tell(.downloads(.enqueued(episode, id, isNew: false)))
    return nil
  }

  /// Completes a download with a file that was found.
  private mutating func complete(
    _ former: Download, with file: PublishedFile, in turn: inout StoreTurn<Self>
  ) throws -> String? {
    var download = former
    guard download.state.kind.isWithoutFile, live[download.id] == nil else { return CleanupStep.hasChanged }
    if download.mayHavePartial {
      try turn.tables.deletions.insert(Deletion(download: download.id, file: nil), isReady: true)
      deletions.oweMore()
      download.isHeld = true
    }
    download.progress = .init(
      durable: file.length, total: file.length, discarded: download.progress.discarded, resume: nil)
    download.forgetAttempts()
    download.dates.finished = turn.now
    try transition(&download, to: .completed(file), in: turn)
    return nil
  }

  /// Adds a completed download.
  private mutating func insert(
    _ id: DownloadID, at address: WebAddress, _ description: Download.Description,
    on network: NetworkPolicy = .inherit, origin: Origin = .user, having file: PublishedFile,
    in turn: inout StoreTurn<Self>
  ) throws {
    let podcast = description.podcast
    let download = Download(
      id: id, address: address, description: description, rank: try rank(at: .last, of: .normal, in: turn),
      origin: origin, state: .completed(file), progress: .init(durable: file.length, total: file.length), failures: 0,
      dates: .init(added: turn.now, finished: turn.now), isHeld: false,
      networks: .init(own: network, podcast: obstacles.classes.policy(ofPodcast: podcast)))
    try turn.tables.downloads.insert(download)
    count(.completed, +1)
  }
}

extension PublishedFile {
  fileprivate func hasOtherTime(than other: PublishedFile) -> Bool { hasOtherTime(than: FoundFile(other)) }

  /// When it was written to last, if that can be written as a date.
  fileprivate var modified: Timestamp? {
    guard let milliseconds = modifiedNanoseconds.map({ $0 / 1_000_000 }), milliseconds >= 0 else { return nil }
    return Timestamp(milliseconds: milliseconds)
  }
}

extension Download.Progress {
  /// Says what is there: so many bytes, with this hash of the last 64 KiB.
  fileprivate mutating func correct(_ record: ResumeRecord, to length: Int64, tailHash: String) {
    durable = length
    guard length > 0 else {
      resume = nil
      return
    }
    var record = record
    record.durable = length
    record.tailHash = tailHash
    record.digestStates = []
    resume = record
  }
}

extension WebAddress {
  private static let adoptedHost = "adopted.invalid"

  /// Whether it stands for a file that was never fetched.
  var isOfAdopted: Bool { host == Self.adoptedHost }

  /// An address for a file that was never fetched: it leads nowhere (RFC 2606 section 2), and tells files apart.
  fileprivate init?(ofAdopted place: EntryPath) {
    let path = PercentEncoding.encoded(place.bytes) { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
    do {
      try self.init("https://\(Self.adoptedHost)/" + path)
    } catch {
      return nil
    }
  }
}
