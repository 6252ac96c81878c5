import Flux

/// Files that are deleted and moved, and what people have done with them.
extension SidecarsStore {
  // MARK: Leaving

  /// Deletes or keeps a download's sidecars, as its file is deleted or kept.
  ///
  /// - Parameter forGood: Whether the download goes. Otherwise it may come back, and what a person has removed stays
  ///   removed.
  mutating func leave(
    _ id: DownloadID, withFile: Bool, forGood: Bool, in turn: inout StoreTurn<Self>
  ) throws {
    for sidecar in try turn.tables.sidecars.sidecars(of: id) {
      if withFile, case .disowned = sidecar.state, !forGood { continue }
      try leave(sidecar, withFile: withFile, in: &turn)
    }
  }

  private mutating func leave(_ sidecar: Sidecar, withFile: Bool, in turn: inout StoreTurn<Self>) throws {
    tellLeft(sidecar, in: &turn)
    var sidecar = sidecar
    switch sidecar.state {
    case .wanted, .failed:
      stop(sidecar.key, in: &turn)
      return try turn.tables.sidecars.delete(sidecar.key)
    case .disowned where withFile: return try turn.tables.sidecars.delete(sidecar.key)
    case .publishing(let file, _, _) where withFile, .present(let file) where withFile:
      stop(sidecar.key, in: &turn)
      sidecar.state = .leaving(file, or: nil)
    case .moving(let file, let path) where withFile: sidecar.state = .leaving(file, or: path)
    case .leaving: return
    case .publishing, .present, .moving, .disowned: sidecar.owner = nil
    }
    try turn.tables.sidecars.update(sidecar)
    errands.oweMore()
  }

  /// Deletes the covers of the folders above a path in which no download's file lies any more, nor one that a client
  /// has kept.
  mutating func leaveCovers(above path: LibraryPath, in turn: inout StoreTurn<Self>) throws {
    for cover in try covers(above: path, in: turn) { try judge(cover, in: &turn) }
  }

  /// The covers of the folders on a file's way, the innermost first.
  func covers(above path: LibraryPath, in turn: borrowing StoreTurn<Self>) throws -> [Sidecar] {
    var covers: [Sidecar] = []
    var folder = path.folder
    while let next = folder {
      if let cover = try turn.tables.sidecars.cover(at: Sidecar.coverStem(in: next)) { covers.append(cover) }
      folder = next.folder
    }
    return covers
  }

  /// Deletes a cover in whose folder no download's file lies any more. If a file lies there that a client has kept, the
  /// cover is the user's, like the file.
  private mutating func judge(_ cover: Sidecar, in turn: inout StoreTurn<Self>) throws {
    guard let path = try? LibraryPath(validating: cover.stem), let folder = path.folder,
      try !turn.tables.sidecars.isUsed(folder)
    else { return }
    guard try turn.tables.sidecars.hasKeptFile(in: folder) else { return try leave(cover, withFile: true, in: &turn) }
    switch cover.state {
    case .wanted, .failed: try leave(cover, withFile: false, in: &turn)
    case .present(let file):
      var cover = cover
      cover.state = .disowned(file)
      try turn.tables.sidecars.update(cover)
    // What is under way ends first, and is judged by the next round.
    case .publishing, .moving, .leaving, .disowned: break
    }
  }

  /// Many downloads have gone in one statement: their fetches end.
  mutating func stopWhatLeaves(in turn: inout StoreTurn<Self>) throws {
    for key in live.keys.sorted() {
      switch try turn.tables.sidecars.find(key)?.state {
      case .wanted, .publishing: break
      case .present, .moving, .leaving, .disowned, .failed, nil: stop(key, in: &turn)
      }
    }
  }

  // MARK: Moving

  /// Renames a download's sidecars after its file has been renamed.
  mutating func follow(_ step: CleanupStep, reading context: Context, in turn: inout StoreTurn<Self>) throws {
    guard case .misnamed(let id, let file, _) = step.finding else { return }
    if hasRows {
      for var sidecar in try turn.tables.sidecars.sidecars(of: id) { try follow(&sidecar, in: turn) }
      try leaveCovers(above: file.path, in: &turn)
    }
    try want(for: id, reading: context, in: turn)
  }

  /// A sidecar that is there follows its download's file, if it is still named after the one that had it.
  mutating func follow(_ sidecar: inout Sidecar, in turn: borrowing StoreTurn<Self>) throws {
    guard case .present(let file) = sidecar.state, let owner = sidecar.owner,
      case .completed(let media)? = try turn.tables.downloads.find(owner)?.state
    else { return }
    let suffix = String(file.path.description.unicodeScalars.dropFirst(sidecar.stem.unicodeScalars.count))
    let stem = Sidecar.stem(of: sidecar.kind, beside: media.path, language: try language(of: owner, in: turn))
    guard stem != sidecar.stem, let path = try? LibraryPath(validating: stem + suffix) else { return }
    sidecar.stem = stem
    sidecar.state = .moving(file, to: path)
    try turn.tables.sidecars.update(sidecar)
    freshMoves.insert(sidecar.key)
    if round?.isLooking == true { round?.moved.insert(sidecar.key) }
    errands.oweMore()
  }

  private func language(of id: DownloadID, in turn: borrowing StoreTurn<Self>) throws -> String? {
    guard let episode = try turn.tables.episodes.find(having: id) else { return nil }
    return try turn.tables.feeds.find(episode.feed)?.podcast?.language
  }

  // MARK: Errands

  mutating func handOutErrands(settings: Settings, in turn: inout StoreTurn<Self>) throws {
    let fetching = Set(live.keys)
    let owed = try errands.take { limit in
      // What is being fetched is not deleted before the fetch has ended; then more is owed.
      try turn.tables.sidecars.owed(limit: limit + fetching.count).filter { !fetching.contains($0.key) }
    }
    for sidecar in owed {
      switch sidecar.state {
      case .leaving(let file, let other):
        turn.perform(
          .sidecar(
            .delete(
              SidecarDeletion(
                sidecar: sidecar.key, file: file, other: other,
                ownFolders: try turn.tables.upkeep.madeFolders(above: file.path)))))
      case .moving(let file, let path):
        var move = CleanupStep.Move(
          isPortable: settings.portableNames, mayHaveBegun: freshMoves.remove(sidecar.key) == nil)
        move.ownFolders = try turn.tables.upkeep.madeFolders(above: file.path)
        turn.perform(.sidecar(.move(SidecarMove(sidecar: sidecar.key, file: file, path: path, move: move))))
      case .wanted, .publishing, .present, .disowned, .failed: _ = errands.end(sidecar.key)
      }
    }
  }

  mutating func finishDeletion(_ key: Sidecar.Key, in turn: borrowing StoreTurn<Self>) throws {
    guard errands.end(key) != nil else { return }
    guard case .leaving? = try turn.tables.sidecars.find(key)?.state else { return }
    try turn.tables.sidecars.delete(key)
  }

  /// A file that does not get its new name keeps the one that it has.
  mutating func finishMove(_ key: Sidecar.Key, isMoved: Bool, in turn: borrowing StoreTurn<Self>) throws {
    guard errands.end(key) != nil, var sidecar = try turn.tables.sidecars.find(key) else { return }
    switch sidecar.state {
    case .moving(var file, let path):
      if isMoved { file.path = path }
      sidecar.stem = Sidecar.stem(of: file.path)
      sidecar.state = .present(file)
      try turn.tables.sidecars.update(sidecar)
      // Its download's file may have got another name once more.
      if isMoved { try follow(&sidecar, in: turn) }
    // Its download has gone meanwhile: only now may it be deleted.
    case .leaving: errands.oweMore()
    case .wanted, .publishing, .present, .disowned, .failed: break
    }
  }

  // MARK: Rounds

  /// Has a service look at some files, and deletes some covers that no file needs any more.
  mutating func goOnLooking(in turn: inout StoreTurn<Self>) throws {
    guard var round, !round.isLooking else { return }
    if let after = round.cover {
      let covers = try turn.tables.sidecars.covers(after: after, limit: SidecarLimits.rowsAtOnce)
      for cover in covers { try judge(cover, in: &turn) }
      round.cover = covers.count == SidecarLimits.rowsAtOnce ? covers.last?.key : nil
    }
    if round.cover == nil, let after = round.sidecar {
      let page = try turn.tables.sidecars.present(after: after, limit: SidecarLimits.rowsAtOnce)
      round.sidecar = page.count == SidecarLimits.rowsAtOnce ? page.last?.key : nil
      let subjects = page.compactMap { sidecar in
        sidecar.file.map { SidecarLook.Subject(sidecar: sidecar.key, file: $0) }
      }
      round.isLooking = !subjects.isEmpty
      // Each look has a number of its own: an answer that comes twice answers no other.
      round.number = turn.sequence
      round.moved = []
      if round.isLooking { turn.perform(.sidecar(.look(SidecarLook(round: round.number, subjects: subjects)))) }
    }
    self.round = round.cover == nil && round.sidecar == nil && !round.isLooking ? nil : round
  }

  /// A person has removed, moved or changed these files: from now on they are that person's.
  mutating func take(_ changed: [Sidecar.Key], ofRound number: Int64, in turn: borrowing StoreTurn<Self>) throws {
    guard let round, round.number == number, round.isLooking else { return }
    let moved = round.moved
    self.round?.isLooking = false
    if round.sidecar == nil, round.cover == nil { self.round = nil }
    for key in changed where !moved.contains(key) {
      guard var sidecar = try turn.tables.sidecars.find(key), case .present(let file) = sidecar.state else { continue }
      sidecar.state = .disowned(file)
      try turn.tables.sidecars.update(sidecar)
    }
  }
}
