import PodfluxCore

/// Checks of the effects that services receive, and of what services do.
extension InvariantChecker {
  func willStart(_ attempt: Attempt, in process: SimulatedProcess) throws {
    let live = process.attempts.keys
    let id = attempt.id
    guard !live.contains(where: { $0.download == id.download }) else {
      throw Violation(.oneAttempt, "\(id.download) has an attempt while \(id.generation) is started")
    }
    guard let row = rows[id.download], row.state.kind == .running || row.state.kind == .paused || row.isHeld,
      process.dispatcher.state.downloads.live[id.download]?.generation == id.generation
    else {
      throw Violation(.afterCommit, "attempt \(id.generation) of \(id.download) starts, and no committed row says so")
    }
    guard process.powers.mayDownload else {
      throw Violation(.powers, "\(id.download) is started by an engine that starts no downloads")
    }
    try checkSession(of: attempt, in: process)
    let settings = process.dispatcher.state.settings.settings
    let transferring = process.attempts.values.filter { !publishing.contains($0.attempt.id) }
    guard transferring.count < settings.maxConcurrent else {
      throw Violation(.totalLimit, "\(transferring.count + 1) attempts, \(settings.maxConcurrent) allowed")
    }
    guard live.count < settings.maxConcurrent + DownloadsStore.publishingAtOnce else {
      throw Violation(.totalLimit, "\(live.count + 1) attempts, those included that publish")
    }
    if let until = process.dispatcher.state.downloads.cooldowns[attempt.address.host],
      until > process.world.clock.wall
    {
      throw Violation(.cooldown, "\(id.download) starts on \(attempt.address.host), which is left alone until \(until)")
    }
    try checkRest(of: attempt, at: process.world.clock.wall)
    try checkObstacles(attempt, row, process)
    let onHost = transferring.filter { $0.attempt.address.host == attempt.address.host }.count
    guard onHost < settings.maxPerHost else {
      throw Violation(.hostLimit, "\(onHost + 1) attempts on \(attempt.address.host), \(settings.maxPerHost) allowed")
    }
  }

  /// An attempt begins an exchange.
  func willRequest(_ attempt: AttemptID) throws {
    guard publishing.contains(attempt) else { return }
    throw Violation(.totalLimit, "\(attempt.download) has given up its slot to publish, and begins an exchange")
  }

  func willGoOn(_ download: DownloadID, with file: SimulatedFile?, from position: Int64) throws {
    guard let untorn = file?.untornLength, position > Int64(untorn) else { return }
    throw Violation(.torn, "\(download) goes on at \(position); behind \(untorn) a power cut may have torn its bytes")
  }

  func willTruncate(_ download: DownloadID, attempt: AttemptID, to length: Int) throws {
    guard !tampered.contains(download), let row = rows[download], row.state.kind != .completed else { return }
    guard row.progress.durable <= length else {
      throw Violation(
        .durable, "the partial of \(download) is cut to \(length) while its row promises \(row.progress.durable)")
    }
  }

  func willPublish(_ attempt: AttemptID, as file: PublishedFile, on disk: SimulatedDisk) throws {
    if let entry = disk.published[file.path.description], entry.isForeign, entry.file.inode == file.inode {
      throw Violation(.foreignFiles, "\(file.path) is another's")
    }
    guard let row = rows[attempt.download], row.state.kind == .running else { return }
    guard row.state == .running(.publishing(file)) else {
      throw Violation(.rowFirst, "\(attempt.download) is published as \(file.path); its row says \(row.state)")
    }
  }

  /// A file was just published; `twins` were there already and differ only in case.
  func hasPublished(_ path: String, beside twins: [String]) throws {
    guard twins.isEmpty else { throw Violation(.twins, "\(path) is published beside \(twins[0])") }
  }

  func willReplace(_ path: String, _ entry: SimulatedDisk.PublishedEntry) throws {
    throw Violation(.foreignFiles, "the file at \(path) is replaced")
  }

  func willDelete(_ file: PublishedFile, on disk: SimulatedDisk) throws {
    guard disk.published[file.path.description]?.isForeign != true else {
      throw Violation(.foreignFiles, "\(file.path) is deleted and is another's")
    }
    for (id, row) in rows {
      guard case .completed(let own) = row.state, own.path == file.path, own.inode == file.inode,
        own.length == file.length
      else { continue }
      throw Violation(.foreignFiles, "\(file.path) is deleted and is the file of \(id)")
    }
  }

  /// No attempt reports after its end.
  func willReport(_ report: AttemptReport) throws {
    guard !ended.contains(report.attempt) else {
      throw Violation(
        .oneEnd, "attempt \(report.attempt.generation) of \(report.attempt.download) reports after its end")
    }
    if case .publishing = report.news { publishing.insert(report.attempt) }
    if report.news.isEnd { ended.insert(report.attempt) }
  }

  /// Every attempt that the store counts as running must be alive, or its last report on the way.
  func checkSlots(of process: SimulatedProcess) throws {
    var lost: AttemptID?
    for (download, live) in process.dispatcher.state.downloads.live {
      let id = AttemptID(download: download, generation: live.generation)
      guard process.attempts[id] == nil, !process.ends.contains(id) else { continue }
      if lost.map({ id.download < $0.download }) ?? true { lost = id }
    }
    guard let lost else { return }
    throw Violation(.slots, "attempt \(lost.generation) of \(lost.download) holds a slot and is gone")
  }
}
