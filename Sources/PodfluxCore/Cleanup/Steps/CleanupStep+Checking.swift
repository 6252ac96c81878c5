import Flux

/// Checks a step against the current rows. Changes nothing.
extension CleanupStep {
  /// Why the step must not be done now; nil if nothing prevents it.
  func obstacle(besides live: [DownloadID: LiveAttempt], in turn: borrowing StoreTurn<some DomainStore>) throws
    -> String?
  {
    switch finding {
    case .missing(let id, let file, _), .corrupt(let id, let file, _), .moved(let id, let file, _),
      .modified(let id, let file, _), .misnamed(let id, let file, _):
      guard try turn.tables.downloads.find(id)?.state == .completed(file) else { return Self.hasChanged }
      switch finding {
      // Completed ones may leave it in the same turn: see `occupants`.
      case .moved(_, _, let file):
        return try claim(on: FoundFile(file), otherThanBy: id, where: { $0.state.kind != .completed }, in: turn)
      case .modified(_, _, let file): return try claim(on: FoundFile(file), otherThanBy: id, in: turn)
      case .corrupt(_, _, let found): return try claim(on: found, otherThanBy: id, in: turn)
      default: return nil
      }
    case .orphan(let found):
      if try turn.tables.sidecars.isKnown(found) { return "it is a sidecar by now" }
      return try claim(on: found, otherThanBy: nil, in: turn)
    case .adoptable(let found, let owner, _):
      if let claim = try claim(on: found, otherThanBy: nil, in: turn) { return claim }
      guard let state = try turn.tables.downloads.find(owner)?.state else { return nil }
      guard case .failed = state, live[owner] == nil else { return Self.hasChanged }
      return nil
    case .episodeFile(let found, let pairing):
      if let claim = try claim(on: found, otherThanBy: nil, in: turn) { return claim }
      guard let episode = pairing.episodes.first else { return Self.hasChanged }
      let adoption = try EpisodeAdoption(of: episode, in: turn)
      if let obstacle = adoption.obstacle { return obstacle }
      guard let owner = adoption.owner else { return nil }
      return live[owner] == nil ? nil : Self.hasChanged
    case .orphanPartial(let partial):
      guard live[partial.download] == nil else { return Self.isRunning }
      return try turn.tables.downloads.find(partial.download)?.needsPartial == true ? Self.hasChanged : nil
    case .partial(let id, let planned, _, _):
      guard live[id] == nil else { return Self.isRunning }
      guard try turn.tables.downloads.find(id)?.progress.resume == planned else { return Self.hasChanged }
      return nil
    case .strayPartial, .emptyFolder, .foreign, .expiredQuarantine: return nil
    }
  }

  /// Another completed download whose row stands in the way of a step.
  struct Occupant: Hashable, Sendable {
    let id: DownloadID
    /// The place that its row has.
    let place: EntryPath
  }

  /// Other completed downloads whose rows have the path to which this step would update its row, or claim the file.
  /// None has the path in its way if the row has that already: where several rows have it, the file decides whose it
  /// is.
  ///
  /// What was restored from a backup may have the inodes of other downloads' files: all of these rows go together.
  func occupants(in turn: borrowing StoreTurn<some DomainStore>) throws -> [Occupant] {
    guard let id = finding.download, let place = finding.followedTo else { return [] }
    let downloads = turn.tables.downloads
    let target = EntryPath(place)
    var others: [Occupant] = []
    if target != finding.place {
      others = try downloads.completedDownloads(at: place, otherThan: id).map { Occupant(id: $0, place: target) }
    }
    guard case .moved(_, let former, let file) = finding else { return others }
    for claimant in try downloads.claimants(of: FoundFile(file), otherThan: id) {
      guard case .completed(let theirs) = claimant.state, !others.contains(where: { $0.id == claimant.id }),
        // Of several rows with the file at the path that it has left, each has the same claim: the planner has chosen
        // one.
        former.path == file.path || theirs.path != former.path
      else { continue }
      others.append(Occupant(id: claimant.id, place: EntryPath(theirs.path)))
    }
    return others
  }

  /// Why a file cannot get its new name, to which no other row may lay claim; nil if nothing prevents it. Not asked
  /// again once it has the name: then its row must follow.
  func nameObstacle(in turn: borrowing StoreTurn<some DomainStore>) throws -> String? {
    guard case .misnamed(let id, _, let path) = finding,
      try !turn.tables.downloads.completedDownloads(at: path, otherThan: id).isEmpty
    else { return nil }
    return Self.nameIsTaken
  }

  /// Whether it has to wait for another step: one that moves the same file, or the file whose place this one's is to
  /// take.
  func waits(for other: CleanupStep) -> Bool {
    guard case .misnamed(let id, _, let path) = finding, case .misnamed(let otherID, let file, _) = other.finding else {
      return false
    }
    return other.key < key && (id == otherID || file.path == path)
  }

  /// The pending deletion that moves the step's damaged file to quarantine, if the row has recorded the damage already.
  func owedMove(in turn: borrowing StoreTurn<some DomainStore>) throws -> Deletion.Key? {
    guard case .corrupt(let id, _, let found) = finding, let remains = found.published(sha256: nil) else {
      return nil
    }
    return try turn.tables.deletions.owedMove(of: remains, of: id)
  }

  /// Whether the step changes rows of downloads.
  var concernsDownloads: Bool {
    switch finding {
    case .missing, .corrupt, .moved, .modified, .misnamed, .adoptable, .episodeFile, .orphanPartial, .partial: true
    case .orphan: decision == .adopt
    case .strayPartial, .emptyFolder, .foreign, .expiredQuarantine: false
    }
  }

  package static let nameIsTaken = "its new name is taken by now; rename again, and it gets another one"
  package static let fileHasChanged = "another program has changed its file, or put another one in its place"
  package static let fileHasGone = "another program has moved or deleted its file"
  static let hasChanged = "the download has changed since; the next cleanup looks at it again"
  private static let isRunning = "the download is running; the next cleanup looks at it again"

  /// The claim of another download, or of a removed one, on a file.
  private func claim(
    on found: FoundFile, otherThanBy id: DownloadID?, where counts: (Download) -> Bool = { _ in true },
    in turn: borrowing StoreTurn<some DomainStore>
  ) throws -> String? {
    // The file may have been moved since its download was completed: its inode identifies it, not its path.
    if try turn.tables.downloads.claimants(of: found, otherThan: id).contains(where: counts) {
      return "it is a download's file by now"
    }
    guard let file = found.published(sha256: nil) else { return nil }
    return try turn.tables.deletions.names(file) ? "it is about to be deleted or put aside anyway" : nil
  }
}

extension CleanupStep: OwedPiece {}

extension OwedWork<CleanupStep> {
  /// Whether a running step takes this file away, or has done so: when it was issued, no download had the file.
  func isTaking(_ file: FoundFile) -> Bool {
    underWay.values.contains { step in
      guard case .orphan(let found) = step.finding, [.quarantine, .delete].contains(step.decision) else { return false }
      return found.place == file.place && found.inode == file.inode
    }
  }
}
