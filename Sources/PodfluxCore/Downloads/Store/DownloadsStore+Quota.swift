import Flux

/// The storage quota: what it leaves, and to whom.
extension DownloadsStore {
  /// How many bytes the quota leaves beside what is there, what is still to come, and what is promised to others than a
  /// download.
  func quotaLeft(
    for download: DownloadID? = nil, _ settings: Settings, in turn: borrowing StoreTurn<some DomainStore>
  ) throws -> Int64 {
    guard settings.storageQuotaBytes > 0 else { return .max }
    let limit = Settings.Limits.volume.upperBound
    // A stopping attempt brings no further bytes. Two attempts that counted each other's would both stop.
    let expected = live.values.reduce(0) { $1.isStopping ? $0 : min($0 + $1.expected, limit) }
    let promised = room.promised.reduce(0) { $1.key == download ? $0 : min($0 + $1.value, limit) }
    return settings.storageQuotaBytes - (try turn.tables.downloads.storedBytes()) - expected - promised
  }

  /// Keeps what was freed for a download that waits for it.
  mutating func promiseRoom(to id: DownloadID, in turn: borrowing StoreTurn<Self>) throws {
    guard let download = try turn.tables.downloads.find(id), download.isAwaitingRoom else { return }
    room.promised[id] = download.neededBytes
    room.isStale = true
  }

  /// Lets one start that is in the queue because its wait is over, or because a client asks for it, although others
  /// that rules want are kept there, if the quota leaves room for it. If it turns out to have none, it stays with them.
  ///
  /// - Parameter left: How many bytes the quota leaves to it.
  mutating func exempt(_ download: Download, doubtingLength isDoubted: Bool, within left: Int64) {
    let needed = download.neededBytes(doubtingLength: isDoubted)
    guard download.origin == .auto, room.lack.obstacleOfRules != nil, room.promised[download.id] == nil,
      room.promised.count < Self.promises, needed <= left
    else { return }
    room.promised[download.id] = needed
    room.quotaLeft = room.quotaLeft.map { $0 - needed }
  }

  /// Ends the promises to downloads that are not to start any more, and to those that rules want and that something
  /// else than room keeps from starting.
  mutating func endPromises(in turn: borrowing StoreTurn<Self>) throws {
    for id in room.promised.keys.sorted() {
      if let download = try turn.tables.downloads.find(id), download.isAwaitingRoom, mayStartWithRoom(download) {
        continue
      }
      room.promised[id] = nil
    }
  }

  /// Whether nothing but room keeps a download from starting, if rules want it: a login, its host and the path are as
  /// they were when the last turn ended.
  func mayStartWithRoom(_ download: Download) -> Bool {
    guard download.origin == .auto, download.state == .queued else { return true }
    var others = obstacles
    (others.all, others.rules) = (nil, nil)
    let lane = download.lane
    return others.obstacle(ignoringSession: lane) == nil && lane.session.map { !others.parked.contains($0) } ?? true
  }

  /// What is to be said of a download that the quota leaves no room for, before it starts or while it runs.
  func overQuota(
    _ download: Download, settings: Settings, in turn: borrowing StoreTurn<Self>
  ) throws -> DownloadError? {
    var left = try quotaLeft(for: download.id, settings, in: turn)
    var needed = download.neededBytes(doubtingLength: doubtsLength(of: download, at: turn.now))
    if let attempt = live[download.id] {
      // Its own bytes are counted as under way.
      (left, needed) = (left.addingClamped(attempt.isStopping ? 0 : attempt.expected), attempt.expected)
      if attempt.isOfUnknownLength { left -= unseenBytes(besides: download.id) }
    }
    guard left < needed else { return nil }
    if try fitsAlone(download, settings: settings, in: turn) { return nil }
    return DownloadError(
      .noSpace,
      "\(needed) bytes are needed, and the quota of \(settings.storageQuotaBytes) leaves \(max(0, left)); remove some "
        + "downloads or raise storageQuotaBytes", shortBytes: needed - left)
  }

  /// How many bytes the quota leaves to a download that is to begin, or to one that waits, beside what others may bring
  /// before it is known how long their files are.
  func quotaLeft(
    toBegin id: DownloadID?, _ settings: Settings, in turn: borrowing StoreTurn<Self>
  ) throws -> Int64 {
    guard settings.storageQuotaBytes > 0 else { return .max }
    return try quotaLeft(for: id, settings, in: turn) - unseenBytes(besides: nil)
  }

  /// How many bytes the attempt of a download is to bring, as others count them; nil where it is of unknown length.
  /// What no server has named counts only where there is room for so much.
  func expectedBytes(
    of download: Download, settings: Settings, in turn: borrowing StoreTurn<Self>
  ) throws -> Int64? {
    guard let missing = download.missingBytes, download.progress.total == nil, settings.storageQuotaBytes > 0 else {
      return download.missingBytes
    }
    let own = live[download.id].map { $0.isStopping ? 0 : $0.expected } ?? 0
    let left = try quotaLeft(for: download.id, settings, in: turn).addingClamped(own)
    return missing <= left - unseenBytes(besides: download.id) ? missing : nil
  }

  /// How many bytes those of unknown length may bring until their next checkpoints.
  private func unseenBytes(besides id: DownloadID?) -> Int64 {
    let unknown = live.count { $0.key != id && $0.value.isOfUnknownLength && !$0.value.isStopping }
    return Int64(unknown) * WritePolicy.checkpointBytes
  }

  /// Whether a download is to begin only when it is known how long the files of those are that have begun, or when they
  /// have ended.
  func awaitsLengths(_ download: Download, settings: Settings, in turn: borrowing StoreTurn<Self>) throws -> Bool {
    guard settings.storageQuotaBytes > 0, unseenBytes(besides: download.id) > 0 else { return false }
    let needed =
      download.progress.total == nil
      ? min(download.missingBytes ?? .max, WritePolicy.checkpointBytes)
      : download.neededBytes(doubtingLength: doubtsLength(of: download, at: turn.now))
    return try quotaLeft(toBegin: download.id, settings, in: turn) < needed
  }

  /// Whether a download may go on beside what others have of files for which there was no room: nothing else is under
  /// way, and its whole file fits beside the complete ones. Without this all could wait for the beginnings of each
  /// other's files.
  private func fitsAlone(
    _ download: Download, settings: Settings, in turn: borrowing StoreTurn<Self>
  ) throws -> Bool {
    guard !live.contains(where: { $0.key != download.id && !$0.value.isStopping }),
      !room.promised.contains(where: { $0.key != download.id })
    else { return false }
    guard download.length != nil, live[download.id]?.isOfUnknownLength != true else {
      // A file of unknown length may have any length: several that begin in vain must not add up.
      let stored = try turn.tables.downloads.storedBytes()
      return stored.addingClamped(WritePolicy.checkpointBytes) <= settings.storageQuotaBytes
    }
    let isDoubted = doubtsLength(of: download, at: turn.now)
    let needed = live[download.id]?.expected ?? download.neededBytes(doubtingLength: isDoubted)
    let whole = download.progress.durable.addingClamped(needed)
    return try turn.tables.downloads.completedBytes().addingClamped(whole) <= settings.storageQuotaBytes
  }

  /// Notes that a download is let go alone; false if that cannot be, if others are in the queue before it, or if it has
  /// been tried.
  mutating func goesAlone(
    _ download: Download, settings: Settings, in turn: borrowing StoreTurn<Self>
  ) throws -> Bool {
    guard settings.storageQuotaBytes > 0, try fitsAlone(download, settings: settings, in: turn),
      try !hasQueue(in: turn)
    else { return false }
    let completeBytes = try turn.tables.downloads.completedBytes()
    if room.alone.completeBytes != completeBytes { room.alone = LoneDownloads(completeBytes: completeBytes) }
    return room.alone.ids.insert(download.id).inserted
  }

  /// Whether others are in the queue that are not kept there because too much waits of what rules want.
  private func hasQueue(in turn: borrowing StoreTurn<Self>) throws -> Bool {
    guard counts[.queued, default: 0] > 0 else { return false }
    guard room.lack.obstacleOfRules != nil else { return true }
    return try turn.tables.downloads.nextAdmissible { $0.origin == .user } != nil
  }

  mutating func lookForQuotaNeeds(_ settings: Settings, in turn: inout StoreTurn<Self>) throws {
    var needs = try findQuotaNeeds(settings, in: turn)
    guard needs != room.needs else { return }
    // Files go for it. A sum that is kept is no reason to delete what the rows do not add up to.
    if !needs.isEmpty, !room.isRecounted {
      room.isRecounted = true
      if try turn.tables.downloads.recountBytes() { needs = try findQuotaNeeds(settings, in: turn) }
    }
    room.needs = needs
    if !needs.isEmpty { turn.tell(.downloads(.lacksRoom)) }
  }

  /// What would have to be freed, and for which of those that wait first; nothing without a quota.
  func findQuotaNeeds(_ settings: Settings, in turn: borrowing StoreTurn<some DomainStore>) throws -> [QuotaNeed] {
    guard settings.storageQuotaBytes > 0 else { return [] }
    // What is on its way pushes nothing out: it has found its room, or it waits for it, with a need of its own.
    let excess = try turn.tables.downloads.completedBytes() - settings.storageQuotaBytes
    var needs = excess > 0 ? [QuotaNeed(bytes: excess)] : []
    guard room.waiting > 0 else { return needs }
    let firstNeeds =
      try room.isStale ? self.needs(of: waitingInOrder(settings, in: turn), settings, in: turn) : room.firstNeeds
    // What is complete is there, and not to come any more. What no server has named may never come.
    let others = live.values.filter { !$0.isStopping }.reduce(Int64(0)) { bytes, attempt in
      let sure = attempt.isPublishing ? 0 : attempt.isClaimed ? TransferMachine.leastRoom : attempt.expected
      return bytes.addingClamped(max(0, attempt.expected - sure))
    }
    let left = try quotaLeft(settings, in: turn).addingClamped(others)
    for var need in firstNeeds {
      let own = left.addingClamped(need.download.flatMap { room.promised[$0] } ?? 0)
      guard need.bytes > own else { continue }
      need.bytes -= own
      need.claimed = max(0, need.claimed.addingClamped(-own))
      needs.append(need)
    }
    return needs
  }
}

/// Bytes that have to be freed before the storage quota has room.
struct QuotaNeed: Hashable, Sendable {
  /// How many downloads that wait are looked at.
  static let limit = 8

  var bytes: Int64
  /// How many bytes would have to be freed for what is said of it, though not by a server: nothing goes for what would
  /// have no room all the same.
  var claimed: Int64 = 0
  /// What waits for it; nil if the files that are there exceed the quota.
  var download: DownloadID?
  /// Whether a rule has asked for that.
  var isOfRule = false
  /// The whole length of its file, as its server has said; nil unless bytes of it are here.
  var length: Int64?
}

extension Download {
  /// Whether it is to start once there is room: it waits for that, or has found it and is in the queue.
  var isAwaitingRoom: Bool {
    switch state {
    case .queued: true
    case .waiting(let waiting): if case .storage = waiting { true } else { false }
    case .running, .paused, .completed, .failed: false
    }
  }

  /// How many bytes are not there yet, but no more than can be set aside: a server may name any length. nil where
  /// it is unknown.
  var missingBytes: Int64? {
    length.map { min(max(0, $0 - progress.durable), Settings.Limits.volume.upperBound) }
  }

  /// How many bytes the quota must leave before a server is asked for them. Only a server knows the length: what a feed
  /// or a client says of it is often wrong.
  package var neededBytes: Int64 {
    guard progress.total == nil else { return missingBytes ?? 0 }
    return min(missingBytes ?? .max, TransferMachine.leastRoom)
  }

  /// The same, for the first look at a file whose length may be another than was said.
  func neededBytes(doubtingLength isDoubted: Bool) -> Int64 {
    isDoubted ? min(neededBytes, TransferMachine.leastRoom) : neededBytes
  }

  /// When its length was last said.
  var lengthSaidAt: Timestamp { progress.resume?.savedAt ?? dates.added }

  /// How many bytes must be free beside the reserve before it is tried again. A file whose length only its client has
  /// named needs room for some pieces: with less it would be back at once.
  var roomBytes: Int64 {
    progress.total == nil ? max(missingBytes ?? 0, 2 * TransferMachine.leastRoom) : neededBytes
  }

  /// Whether it waits for bytes that were measured and found too few. Where the system has refused to write although
  /// there seemed to be room (a quota of its own, no more inodes), free bytes tell nothing.
  var isShort: Bool {
    if case .waiting(let waiting) = state { waiting.error.shortBytes != nil } else { false }
  }
}
