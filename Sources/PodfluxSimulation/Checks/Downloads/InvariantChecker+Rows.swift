import Digests
import Flux
import PodfluxCore

/// Checks of rows.
extension InvariantChecker {
  /// Checks a row that a batch has written.
  func check(_ row: Download, before: Download?, _ changes: Changes, _ batch: Batch, _ world: World) throws {
    let isCleanedUp = changes.finishedSteps.contains { $0.finding.concerns(row) }
    if let wish = world.client.wishes[row.id], before == nil,
      wish.mirrors != row.description.mirrors || wish.integrity != row.description.integrity
    {
      throw Violation(.acknowledged, "\(row.id) has other mirrors or another integrity than its client gave it")
    }
    if let before, row.address != before.address { try checkAddress(of: row, from: before, batch, world) }
    if isCleanedUp {
      try checkOnePlace(row, before)
      try checkAdopted(row, changes, on: world.disk)
    }
    noteEdit(row, before)
    try checkDurable(row, before, world)
    if !isCleanedUp { try checkKept(row, before, batch) }
    switch row.state {
    case .waiting where changes.broughtForward.contains(row.id): break
    case .waiting(let waiting) where before?.state != row.state: try check(waiting, of: row, before, batch, world)
    case .completed where isCleanedUp || batch.hasFollowed(row.id): break
    case .completed(let file) where before?.state != row.state: try check(file, of: row, world)
    case .queued, .waiting, .running, .paused, .completed, .failed: break
    }
    try checkDamage(row, before, isCleanedUp: isCleanedUp, batch, world)
  }

  private func noteEdit(_ row: Download, _ before: Download?) {
    guard case .completed(let file) = row.state, case .completed(let former)? = before?.state else {
      edited.remove(row.id)
      return
    }
    if file.length != former.length { edited.insert(row.id) }
  }

  /// A row that has followed its file to another path must be the only completed one there.
  private func checkOnePlace(_ row: Download, _ before: Download?) throws {
    guard case .completed(let file) = row.state, case .completed(let former)? = before?.state,
      former.path != file.path
    else { return }
    let other = rows.keys.sorted().first { id in
      guard id != row.id, case .completed(let theirs)? = rows[id]?.state else { return false }
      return theirs.path == file.path
    }
    guard let other else { return }
    throw Violation(.onePlace, "\(row.id) follows its file to \(file.path), which is the place of \(other)")
  }

  private func checkDurable(_ row: Download, _ before: Download?, _ world: World) throws {
    if case .completed = row.state { return }
    guard row.progress != before?.progress else { return }
    let durable = row.progress.durable
    guard durable > 0 else {
      tampered.remove(row.id)
      return
    }
    guard let record = row.progress.resume, record.durable == durable else {
      throw Violation(.durable, "the row of \(row.id) and its resume record disagree about \(durable) durable bytes")
    }
    guard !tampered.contains(row.id) else { return }
    guard let file = file(of: row, world), file.syncedLength >= Int(durable) else {
      throw Violation(
        .durable,
        "the row of \(row.id) promises \(durable) bytes, \(file(of: row, world)?.syncedLength ?? 0) would survive")
    }
    guard file.isNameSynced else {
      throw Violation(.durable, "the row of \(row.id) promises \(durable) bytes of a file that a power cut could take")
    }
    if record != before?.progress.resume, Self.tailHash(of: file, record.tailRange) != record.tailHash {
      throw Violation(.durable, "the last durable bytes of \(row.id) are not what its record says")
    }
  }

  static func tailHash(of file: SimulatedFile, _ range: Range<Int64>) -> String {
    RunningDigest.sha256(of: Array(file.bytes(Range(bytes: range))))
  }

  private func file(of row: Download, _ world: World) -> SimulatedFile? {
    if let file = world.disk.partials[row.id] { return file }
    guard case .running(.publishing(let published)) = row.state else { return nil }
    return world.disk.published[published.path.description]?.file
  }

  private func checkKept(_ row: Download, _ before: Download?, _ batch: Batch) throws {
    guard let before, row.progress.durable < before.progress.durable else { return }
    if case .completed = before.state { return }
    let isAnnounced = batch.actions.contains { action in
      guard case .attempt(let report) = action, report.attempt.download == row.id else { return false }
      if case .restarting = report.news { return true }
      return false
    }
    guard isAnnounced else {
      throw Violation(
        .keptBytes, "\(row.id) had \(before.progress.durable) durable bytes and has \(row.progress.durable) now")
    }
  }

  private func check(
    _ waiting: DownloadState.Waiting, of row: Download, _ before: Download?, _ batch: Batch, _ world: World
  ) throws {
    // A person may have asked for it in the same turn.
    let isOfRule = row.origin == .auto || before?.origin == .auto
    let error = waiting.error
    let reports = batch.actions.compactMap { action -> DownloadError? in
      guard case .attempt(let report) = action, report.attempt.download == row.id,
        case .failed(let reported, _, _) = report.news
      else { return nil }
      return reported
    }
    // The retrier adds what it knows of the session.
    let isTrue = reports.contains { $0.code == error.code && error.message.hasPrefix($0.message) }
    // A client may have resumed behind a lasting error, in the same turn; then the wait has another cause.
    let isLasting = isTrue && reports.allSatisfy { $0.outlook == .lasting }
    let mayPass = isOfRule || reports.contains { $0.outlook == .passing }
    let isFitting = if case .storage = waiting { error.code == .noSpace } else { error.code != .noSpace }
    // The quota leaves no room, before any request. One that waited for that may have waited on before a client lifted
    // the quota, in the same turn.
    let hasWaited = if case .waiting(.storage)? = before?.state { true } else { false }
    let isOverQuota = error.code == .noSpace && (world.client.settings.storageQuotaBytes > 0 || hasWaited)
    guard isTrue || isOverQuota, isFitting,
      (error.isTransient || error.code == .io && mayPass) && !isLasting || row.description.mirrors.count > 0
    else {
      throw Violation(
        .reasons, "\(row.id) waits after \(error.code.rawValue), which no attempt reported or nothing can mend")
    }
    let delay = waiting.until.milliseconds - batch.clock.wall.milliseconds
    let cooldowns = world.process?.dispatcher.state.downloads.cooldowns ?? [:]
    let hostDelay = (cooldowns[row.source.host]?.milliseconds ?? 0) - batch.clock.wall.milliseconds
    guard delay > 0, delay <= max(Int64(world.client.settings.retryMaxSeconds) * 1_000, hostDelay) else {
      throw Violation(.reasons, "\(row.id) waits \(delay) ms for its retry")
    }
  }

  private func check(_ file: PublishedFile, of row: Download, _ world: World) throws {
    let path = file.path.description
    guard let entry = world.disk.published[path], world.disk.isPublished(file) else {
      throw Violation(.publishedDurably, "\(row.id) is completed, and its file is not at \(path)")
    }
    guard world.disk.isRenameSynced(path), entry.file.syncedLength == entry.file.length else {
      throw Violation(.publishedDurably, "\(row.id) is completed, and a power cut could take its file from \(path)")
    }
    guard let wish = world.client.wishes[row.id] else { return }
    let versions = world.origins.filter { (wish.addresses + wish.mirrors).contains(where: $0.serves) }.flatMap(
      \.versions)
    let content = try downloaded(entry.file, file, of: row)
    let isOne = content.withUnsafeBytes { bytes in
      versions.contains { $0.length == bytes.count && $0.matches(bytes) }
    }
    if let integrity = wish.integrity, !integrity.accepts(Self.digest(of: content, integrity.algorithm)) {
      throw Violation(.integrity, "the \(content.count) bytes of \(row.id) are not what its client knows the digest of")
    }
    guard isOne else {
      throw Violation(.oneVersion, "the \(file.length) bytes of \(row.id) at \(path) are no version of \(row.address)")
    }
  }

  static func digest(of bytes: [UInt8], _ algorithm: DigestAlgorithm) -> [UInt8] {
    var digest = RunningDigest(algorithm)
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.digest()
  }

  // MARK: All rows

  /// What a look at all rows shows: how many are in each state, and the first wrong one of each kind.
  private struct Look {
    var counted: [DownloadState.Kind: Int] = [:]
    var wrongHold: DownloadID?
    var brokenPromise: DownloadID?
  }

  /// Looks at all rows, once for all checks: a look copies each of them.
  private func look(_ downloads: DownloadsStore, _ client: SimulatedClient) -> Look {
    var look = Look()
    for (id, row) in rows {
      look.counted[row.state.kind, default: 0] += 1
      if row.state == .queued, !isHeldRightly(row, downloads) { look.wrongHold = min(look.wrongHold ?? id, id) }
      if !client.wishes.isKept(id, row) { look.brokenPromise = min(look.brokenPromise ?? id, id) }
    }
    return look
  }

  /// Checks everything after a turn.
  func checkAll(_ process: SimulatedProcess, _ changes: Changes) throws {
    let (downloads, client) = (process.dispatcher.state.downloads, process.world.client)
    let look = look(downloads, client)
    guard downloads.counts.filter({ $0.value != 0 }) == look.counted, savedCounts == look.counted else {
      throw Violation(.counts, "\(downloads.counts) in memory, \(savedCounts) saved, \(look.counted) counted")
    }
    if process.isRecovered, let wrong = look.wrongHold {
      let holders = "live: \(downloads.live[wrong] != nil), owed: \(owed.contains(wrong))"
      throw Violation(
        .holds, "\(wrong) is queued and \(rows[wrong]?.isHeld == true ? "held" : "not held"); \(holders)")
    }
    try checkPromises(client, look.brokenPromise)
    guard process.dispatcher.state.settings.settings == client.settings else {
      throw Violation(.acknowledged, "the settings are not what was acknowledged")
    }
    if changes.hasNewOrder { try checkOrder(client) }
  }

  private func isHeldRightly(_ row: Download, _ downloads: DownloadsStore) -> Bool {
    let isLive = downloads.live[row.id] != nil
    return row.isHeld ? isLive || holding.contains(row.id) : !isLive && !owedPartials.contains(row.id)
  }

  private func checkPromises(_ client: SimulatedClient, _ broken: DownloadID?) throws {
    guard rows.count == client.wishes.count else {
      let lost = Set(client.wishes.keys).symmetricDifference(rows.keys).sorted()
      throw Violation(.acknowledged, "\(lost) exist for the client or in the tables, not in both")
    }
    guard let broken, let row = rows[broken] else { return }
    throw Violation(
      .acknowledged,
      "\(broken) is \(row.state.kind.rawValue), \(row.rank.priority), \(row.address); the client was promised "
        + "\(client.wishes[broken].map { "\($0)" } ?? "nothing")")
  }

  private func checkOrder(_ client: SimulatedClient) throws {
    for priority in Priority.allCases {
      let inOrder = rows.values.filter { $0.rank.priority == priority }.sorted { $0.rank.position < $1.rank.position }
      guard inOrder.map(\.id) == client.order[priority] ?? [] else {
        throw Violation(.order, "\(inOrder.map(\.id)) stand where \(client.order[priority] ?? []) was asked for")
      }
    }
  }
}

extension [DownloadID: SimulatedClient.Wish] {
  /// Whether a row is as promised to its client.
  fileprivate func isKept(_ id: DownloadID, _ row: Download) -> Bool {
    guard let wish = self[id] else { return false }
    return wish.isPaused == (row.state == .paused) && wish.priority == row.rank.priority
      && wish.network == row.networks.own && wish.addresses.last == row.address && wish.title == row.description.title
  }
}

extension CleanupStep.Finding {
  /// Whether a step may have changed or created this row.
  func concerns(_ row: Download) -> Bool {
    guard download != row.id else { return true }
    guard case .completed(let file) = row.state else { return false }
    switch self {
    case .orphan(let found), .episodeFile(let found, _): return found.place == EntryPath(file.path)
    default: return false
    }
  }
}
