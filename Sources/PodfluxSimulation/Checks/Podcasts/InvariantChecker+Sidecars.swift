import Flux
import PodfluxCore

/// Checks of sidecars.
extension InvariantChecker {
  private func rows(of world: World) throws -> [Sidecar] {
    try world.database.read { try $0.sidecars(limit: 100_000) }
  }

  /// A fetch begins: over a path that policy allows, and of nothing that a person has removed.
  func willFetch(_ fetch: SidecarFetch, in process: SimulatedProcess) throws {
    let rows = try rows(of: process.world)
    guard let row = rows.first(where: { $0.key == fetch.id.sidecar }) else { return }
    let isRemoved = rows.contains { other in
      guard case .disowned = other.state, other.kind == row.kind else { return false }
      return row.kind == .cover ? other.stem == row.stem : other.owner == row.owner && other.owner != nil
    }
    guard !isRemoved, !removed.contains(row.key) else {
      throw Violation(.sidecarsOnce, "\(row) is fetched, and a person has removed it")
    }
    guard case .address(let address) = fetch.source else { return }
    let stores = process.dispatcher.state
    guard stores.downloads.obstacles.needsPath(address.host) else { return }
    if stores.network.state.path.interface == .cellular { cellularFetches.insert(fetch.id) }
    let obstacles = stores.downloads.obstacles
    let policy = stores.settings.settings.network.artwork
    if let obstacle = policy == .any ? obstacles.any : obstacles.unmetered {
      throw Violation(.obstacles, "\(row) is fetched, and \(obstacle) stands in the way")
    }
  }

  /// Bytes come. What was let go a moment ago may bring some before it hears that it is to stop.
  func willTake(sidecarBytes bytes: Int, over path: NetworkPath, _ sidecar: SimulatedSidecar) throws {
    guard !sidecar.isToldToStop, isForbidden(path, toArtworkOf: sidecar.process) else { return }
    throw Violation(
      .path, "\(bytes) bytes of \(sidecar.fetch.id) come over \(path.device ?? "?"), which the engine knows is metered")
  }

  /// Whether the engine knows that no sidecar and no part of what tags show may come over a path.
  func isForbidden(_ path: NetworkPath, toArtworkOf process: SimulatedProcess) -> Bool {
    let stores = process.dispatcher.state
    let known = stores.network.state
    return known.source != .reported && known.path == path && !path.isUnmetered
      && stores.settings.settings.network.artwork != .any
  }

  /// A file is deleted on behalf of a sidecar.
  func willDelete(
    _ entry: SimulatedDisk.PublishedEntry, at place: EntryPath, _ order: SidecarOrder, in world: World
  ) throws {
    guard case .delete(let deletion) = order else {
      throw Violation(.foreignFiles, "\(place.text) is taken away, and no sidecar is deleted")
    }
    guard world.disk.isSidecar(entry.file) else {
      throw Violation(.foreignFiles, "\(place.text) is deleted for \(deletion.sidecar), and is a person's")
    }
    try checkCoverGoes(deletion, in: world)
    // A number is reused once its file is gone: the row of a file that a person deleted has it with another length.
    let isDownload = rows.values.contains { row in
      guard row.state.kind == .completed, let file = row.publishedFile else { return false }
      return file.inode == entry.file.inode && file.length == Int64(entry.file.length)
    }
    guard !isDownload else {
      throw Violation(.foreignFiles, "\(place.text) is deleted as a sidecar, and is a download's file")
    }
  }

  /// A cover stays with a file that a client has kept.
  private func checkCoverGoes(_ deletion: SidecarDeletion, in world: World) throws {
    guard let cover = try rows(of: world).first(where: { $0.key == deletion.sidecar }), cover.kind == .cover,
      let folder = deletion.file.path.folder
    else { return }
    for path in world.disk.published.keys.sorted() where path.hasPrefix(folder.description + "/") {
      guard let entry = world.disk.published[path] else { continue }
      let found = world.disk.found(entry.file, at: path)
      let isKept = try world.database.formerFiles(like: found).contains {
        $0.cause == .kept && $0.file.path.description == path && $0.file.inode == found.inode
      }
      if isKept { throw Violation(.sidecarsLeave, "\(cover) goes, and a client has kept \(path)") }
    }
  }

  /// A sidecar goes only where its episode's file lies.
  func willMove(_ move: SidecarMove, in process: SimulatedProcess) throws {
    guard let row = try rows(of: process.world).first(where: { $0.key == move.sidecar }), let owner = row.owner,
      case .moving(_, let path) = row.state, path == move.path, case .completed(let media)? = rows[owner]?.state
    else { return }
    let stem = Sidecar.stem(beside: media.path)
    // The row may have followed a person since, or has another new name already.
    guard move.path.description.hasPrefix(stem) || hasFollowed.contains(owner) else {
      throw Violation(.sidecarRows, "\(row) moves, and its episode's file is at \(media.path)")
    }
  }

  /// The cleanup takes a file away that is a sidecar, as its row has it.
  func checkIsNoSidecar(_ entry: SimulatedDisk.PublishedEntry, at place: EntryPath, in world: World) throws {
    guard world.disk.isSidecar(entry.file) else { return }
    let path = place.text
    let row = try rows(of: world).first { row in
      guard let file = row.file else { return false }
      return file.path.description == path && file.inode == entry.file.inode && file.length == Int64(entry.file.length)
    }
    if let row { throw Violation(.sidecarPlaces, "\(path) is taken away as an orphan, and is the file of \(row)") }
  }

  /// What a person has removed, as committed rows say it.
  func noteRemovedSidecars(_ batch: Batch) {
    for case .sidecar(.looked(_, let changed)) in batch.actions { removed.formUnion(changed) }
  }

  /// When nothing moves any more, and a cleanup has looked at everything.
  func checkSidecars(_ world: World) throws {
    guard world.options.faults.contains(.sidecars) else { return }
    let rows = try rows(of: world)
    let disk = world.disk
    for row in rows {
      switch row.state {
      case .present(let file):
        let folder = file.path.folder?.description
        guard disk.cover(over: file.path.description) == nil, folder.map(disk.folders.contains) ?? true,
          !disk.links.contains(file.path.description)
        else { continue }
        guard disk.isPublished(file) else {
          // Where its folder was away at the last look nothing followed, and another download may have made it anew
          // since.
          if row.owner == nil, row.kind != .cover { continue }
          throw Violation(.sidecarRows, "\(row) says that its file is there, and it is not")
        }
        if let owner = row.owner {
          guard case .completed? = self.rows[owner]?.state else {
            throw Violation(
              .sidecarsLeave, "\(row) is there, and its download is \(String(describing: self.rows[owner]?.state))")
          }
        }
      case .disowned, .failed: break
      case .wanted, .publishing, .moving, .leaving:
        throw Violation(.liveness, "\(row) is so for ever")
      }
    }
    try checkNotesFiles(rows, in: world)
    let known = Set(rows.compactMap { $0.file?.inode })
    for path in disk.published.keys.sorted() {
      guard let entry = disk.published[path], disk.isSidecar(entry.file), !entry.isDisplaced,
        !known.contains(entry.file.inode), disk.cover(over: path) == nil,
        !self.rows.values.contains(where: { $0.publishedFile?.inode == entry.file.inode })
      else { continue }
      throw Violation(.sidecarsLeave, "the sidecar \(path) belongs to nothing")
    }
  }
}

/// Checks of notes.
extension InvariantChecker {
  /// A refresh that has read the notes too has ended: the library has those that one of its documents had.
  func checkNotes(of feed: Feed, _ showings: [FeedAnswer.Showing], in world: World) throws {
    guard !showings.isEmpty, showings.allSatisfy(\.isWhole) else { return }
    let faults = try showings.map { try notesFault(of: feed, comparedWith: $0.items, in: world) }
    guard faults.allSatisfy({ $0 != nil }), let fault = faults.last ?? nil else { return }
    throw Violation(.notes, fault)
  }

  /// When each feed has been refreshed: notes that are wanted have been read.
  func checkNotesAtRest(of feed: Feed, comparedWith items: [SimulatedItem], in world: World) throws {
    guard wantsNotes(world) else { return }
    guard feed.refreshes.validators.hasNotes else {
      throw Violation(.notes, "\(feed.id) was refreshed, and its notes were not read")
    }
    if let fault = try notesFault(of: feed, comparedWith: items, in: world) { throw Violation(.notes, fault) }
  }

  /// Which downloads attempts have completed.
  func noteFetched(_ batch: Batch) {
    for case .attempt(let report) in batch.actions {
      if case .finished = report.news { fetched.insert(report.attempt.download) }
    }
    fetched = fetched.filter { rows[$0]?.state.kind == .completed }
  }

  /// When nothing moves any more: notes that the library has are there, or could not be written, beside each file.
  func checkNotesFiles(_ sidecars: [Sidecar], in world: World) throws {
    guard wantsNotes(world) else { return }
    let owners = Set(sidecars.filter { $0.kind == .notes }.compactMap(\.owner))
    let episodes = feeds.episodes.values.sorted { $0.id < $1.id }
    for id in fetched.subtracting(owners).sorted() {
      guard let episode = episodes.last(where: { $0.download == id }) else { continue }
      if let notes = try world.database.read({ try $0.notes(of: episode.id) }) {
        throw Violation(.notes, "\(id) is completed, and \(notes.html) is not written beside it")
      }
    }
  }

  private func wantsNotes(_ world: World) -> Bool {
    world.process?.dispatcher.state.settings.settings.sidecars.contains(.notes) ?? false
  }

  /// What differs between the notes in the library and those of a feed; nil if nothing does, or they were not read.
  private func notesFault(of feed: Feed, comparedWith items: [SimulatedItem], in world: World) throws -> String? {
    guard feed.refreshes.validators.hasNotes else { return nil }
    let present = feeds.episodes(of: feed.key).filter { !$0.isMissingFromFeed }
    return try world.database.read { tables in
      for item in items {
        guard let episode = present.first(where: { item.isSaid(by: $0.content) }) else { continue }
        let notes = try tables.notes(of: episode.id)?.html ?? ""
        if notes != item.notes { return "\(feed.id) says \(item.notes) of \(episode.id), and the library has \(notes)" }
      }
      return nil
    }
  }
}
