import Flux

/// Room on the disk, and the quota. Attempts find out that there is too little; here is who waits for it, and until
/// when.
extension DownloadsStore {
  /// What is known of the downloads that wait for room.
  struct RoomWatch: Hashable, Sendable {
    /// Whether it has to be looked who waits.
    var isStale = false
    /// How many wait.
    var waiting = 0
    /// What the first of them need, as room goes to them. It holds as long as it has not to be looked who waits.
    var line: [QuotaNeed] = []
    /// What the storage quota leaves no room for, as of the last turn.
    var needs: [QuotaNeed] = []
    /// What all others wait for, if too many wait.
    var obstacle: Obstacle?
    /// How many free bytes have been asked for.
    var asked: Int64?
    /// How many bytes the quota left when it was last looked at; nil before the first look.
    var quotaLeft: Int64?
    /// The bytes that are kept free for downloads which have waited for them: what was freed for one goes to no other.
    /// Each entry ends when its download starts, or is not to start any more.
    var promised: [DownloadID: Int64] = [:]
    /// Which waiting downloads have been let go alone.
    var alone = LoneDownloads()
    /// When a client last wanted downloads tried again: lengths that were named before are asked for anew.
    var doubtedAt: Timestamp?
  }

  /// The downloads that went on although what others have of their files exceeds the quota: each once beside so many
  /// complete bytes. One that comes back has found too little room on the disk.
  struct LoneDownloads: Hashable, Sendable {
    var completeBytes: Int64 = -1
    var ids: Set<DownloadID> = []
  }

  /// To how many downloads room is promised at most.
  private static let promises = 64

  /// How long a download waits for a full disk before it is tried, even if no room was reported, in milliseconds: 10 to
  /// 15 minutes. The disk's free bytes are watched meanwhile, and each try writes to the full disk.
  private static let roomWaitMilliseconds: ClosedRange<Int64> = 600_000...900_000

  /// For how long what was said of a file's length is believed where there is no room for so much. Then, or when a
  /// client wants the download tried again, its server is asked anew: one absurd number must not keep a download for
  /// ever.
  static let lengthBelievedMilliseconds: Int64 = 3_600_000

  /// Whether the length of a download's file is to be asked for anew before it is found too much.
  func doubtsLength(of download: Download, at now: Timestamp) -> Bool {
    let said = download.progress.resume?.savedAt ?? download.dates.added
    let age = now.milliseconds - said.milliseconds
    // A clock that was set back has said it later than now.
    guard (0..<Self.lengthBelievedMilliseconds).contains(age) else { return true }
    return room.doubtedAt.map { said < $0 } ?? false
  }

  mutating func waitForRoom(
    _ download: inout Download, after error: DownloadError, in turn: inout PodfluxTurn
  ) throws {
    let delay = Int64.random(in: Self.roomWaitMilliseconds, using: &turn.random)
    room.isStale = true
    room.waiting += 1
    try wait(&download, for: .storage(until: turn.now.advanced(byMilliseconds: delay), after: error), in: &turn)
  }

  // MARK: The quota

  /// How many bytes the quota leaves beside what is there, what is still to come, and what is promised to others than a
  /// download.
  func quotaLeft(
    for download: DownloadID? = nil, _ settings: Settings, in turn: borrowing PodfluxTurn
  ) throws -> Int64 {
    guard settings.storageQuotaBytes > 0 else { return .max }
    let limit = Settings.Limits.volume.upperBound
    // What is told to stop brings nothing more. Two that count each other's would both stop.
    let expected = live.values.reduce(0) { $1.isStopping ? $0 : min($0 + $1.expected, limit) }
    let promised = room.promised.reduce(0) { $1.key == download ? $0 : min($0 + $1.value, limit) }
    return settings.storageQuotaBytes - (try turn.tables.downloads.storedBytes()) - expected - promised
  }

  /// Keeps what was freed for a download that waits for it.
  mutating func promiseRoom(to id: DownloadID, in turn: borrowing PodfluxTurn) throws {
    guard let download = try turn.tables.downloads.find(id), download.isAwaitingRoom else { return }
    room.promised[id] = download.neededBytes
    room.isStale = true
  }

  /// Ends the promises to downloads that are not to start any more.
  private mutating func endPromises(in turn: borrowing PodfluxTurn) throws {
    for id in room.promised.keys.sorted() where try turn.tables.downloads.find(id)?.isAwaitingRoom != true {
      room.promised[id] = nil
    }
  }

  /// What is to be said of a download that the quota leaves no room for, before it starts or while it runs.
  func overQuota(
    _ download: Download, settings: Settings, in turn: borrowing PodfluxTurn
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
    toBegin id: DownloadID?, _ settings: Settings, in turn: borrowing PodfluxTurn
  ) throws -> Int64 {
    guard settings.storageQuotaBytes > 0 else { return .max }
    return try quotaLeft(for: id, settings, in: turn) - unseenBytes(besides: nil)
  }

  /// How many bytes those of unknown length may bring until their next checkpoints.
  private func unseenBytes(besides id: DownloadID?) -> Int64 {
    let unknown = live.count { $0.key != id && $0.value.isOfUnknownLength && !$0.value.isStopping }
    return Int64(unknown) * WritePolicy.checkpointBytes
  }

  /// Whether a download is to begin only when it is known how long the files of those are that have begun, or when they
  /// have ended.
  func awaitsLengths(_ download: Download, settings: Settings, in turn: borrowing PodfluxTurn) throws -> Bool {
    guard settings.storageQuotaBytes > 0, unseenBytes(besides: download.id) > 0 else { return false }
    let needed =
      download.length == nil
      ? WritePolicy.checkpointBytes
      : download.neededBytes(doubtingLength: doubtsLength(of: download, at: turn.now))
    return try quotaLeft(toBegin: download.id, settings, in: turn) < needed
  }

  /// Whether a download may go on beside what others have of files for which there was no room: nothing else is under
  /// way, and its whole file fits beside the complete ones. Without this all could wait for the beginnings of each
  /// other's files.
  private func fitsAlone(
    _ download: Download, settings: Settings, in turn: borrowing PodfluxTurn
  ) throws -> Bool {
    guard !live.contains(where: { $0.key != download.id && !$0.value.isStopping }),
      !room.promised.contains(where: { $0.key != download.id })
    else { return false }
    guard download.length != nil else {
      // It may be of any length: others that began in vain must not add up.
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
  private mutating func goesAlone(
    _ download: Download, settings: Settings, in turn: borrowing PodfluxTurn
  ) throws -> Bool {
    guard settings.storageQuotaBytes > 0, counts[.queued, default: 0] == 0,
      try fitsAlone(download, settings: settings, in: turn)
    else { return false }
    let completeBytes = try turn.tables.downloads.completedBytes()
    if room.alone.completeBytes != completeBytes { room.alone = LoneDownloads(completeBytes: completeBytes) }
    return room.alone.ids.insert(download.id).inserted
  }

  mutating func lookForQuotaNeeds(_ settings: Settings, in turn: inout PodfluxTurn) throws {
    let needs = try findQuotaNeeds(settings, in: turn)
    guard needs != room.needs else { return }
    room.needs = needs
    if !needs.isEmpty { turn.tell(.downloads(.lacksRoom)) }
  }

  /// What would have to be freed, and for which of those that wait first; nothing without a quota.
  func findQuotaNeeds(_ settings: Settings, in turn: borrowing PodfluxTurn) throws -> [QuotaNeed] {
    guard settings.storageQuotaBytes > 0 else { return [] }
    // What is on its way pushes nothing out: it has found its room, or it waits for it, with a need of its own.
    let excess = try turn.tables.downloads.completedBytes() - settings.storageQuotaBytes
    var needs = excess > 0 ? [QuotaNeed(bytes: excess)] : []
    guard room.waiting > 0 else { return needs }
    let line = try room.isStale ? waitingInOrder(in: turn).line : room.line
    // What is complete is there, and not to come any more.
    let publishing = live.values.filter { $0.isPublishing && !$0.isStopping }
    let complete = publishing.reduce(Int64(0)) { $0.addingClamped($1.expected) }
    let left = try quotaLeft(settings, in: turn).addingClamped(complete)
    for var need in line {
      let own = left.addingClamped(need.download.flatMap { room.promised[$0] } ?? 0)
      guard need.bytes > own else { continue }
      need.bytes -= own
      needs.append(need)
    }
    return needs
  }

  /// Those that wait for room, as it goes to them: what a person has asked for, then what rules want, the newest first.
  private func waitingInOrder(in turn: borrowing PodfluxTurn) throws -> [Download] {
    let waiting = try turn.tables.downloads.waitingForStorage(limit: Obstacle.roomlessLimit)
    let ofRules = waiting.filter { $0.origin == .auto }
    guard ofRules.count > 1 || waiting.count > ofRules.count && !ofRules.isEmpty else { return waiting }
    var places: [DownloadID: RuledEpisode.Place] = [:]
    for download in ofRules { places[download.id] = try turn.tables.rules.place(having: download.id) }
    let sorted = ofRules.enumerated().sorted { lhs, rhs in
      switch (places[lhs.element.id], places[rhs.element.id]) {
      case (let left?, let right?) where left != right: right < left
      case (.some, nil): true
      case (nil, .some): false
      default: lhs.offset < rhs.offset
      }
    }
    return waiting.filter { $0.origin != .auto } + sorted.map(\.element)
  }

  // MARK: Those that wait

  /// Looks who waits, lets go who has room by the quota now, and has it watched when the disk has room for one more.
  mutating func lookForRoom(settings: Settings, in turn: inout PodfluxTurn) throws {
    if !room.promised.isEmpty { try endPromises(in: turn) }
    var left = try quotaLeft(toBegin: nil, settings, in: turn)
    // After a start it is not known who has found too little: what has been woken is in the queue, and goes first.
    let formerly = room.quotaLeft ?? .max
    guard room.isStale || room.waiting > 0 && left > formerly else {
      room.quotaLeft = left
      return
    }
    var waiting: [Download] = []
    // The least that one would need which has room, and waits until others have started: each turn looks at all
    // promises.
    var postponed: Int64 = .max
    for var download in try waitingInOrder(in: turn) {
      let promised = room.promised[download.id]
      let own = left.addingClamped(promised ?? 0)
      let hasRoom = (promised != nil || download.neededBytes > formerly) && download.neededBytes <= own
      if hasRoom, promised == nil, room.promised.count >= Self.promises {
        postponed = min(postponed, download.neededBytes)
        waiting.append(download)
      } else if hasRoom {
        if settings.storageQuotaBytes > 0 {
          room.promised[download.id] = download.neededBytes
          left = own - download.neededBytes
        }
        try transition(&download, to: .queued, in: turn)
      } else {
        waiting.append(download)
      }
    }
    // Only where no other goes on: each would find what is promised to the other.
    let lone = try waiting.firstIndex { [left] download in
      try left < download.neededBytes && goesAlone(download, settings: settings, in: turn)
    }
    if let lone {
      var download = waiting.remove(at: lone)
      room.promised[download.id] = download.neededBytes
      try transition(&download, to: .queued, in: turn)
    }
    let reserve = max(settings.reserveFreeBytes, WritePolicy.reservedRoom)
    let wanted = waiting.filter { $0.isShort && $0.neededBytes <= left }.map(\.roomBytes).min().map { $0 + reserve }
    room.isStale = false
    room.waiting = waiting.count
    room.line = waiting.line
    room.quotaLeft = min(left, postponed - 1)
    room.obstacle = .lackOfRoom(for: waiting)
    guard wanted != room.asked else { return }
    room.asked = wanted
    turn.perform(.watchRoom(atLeast: wanted))
  }

  /// So many bytes are free: those that fit go on.
  mutating func wake(withRoom bytes: Int64, settings: Settings, in turn: inout PodfluxTurn) throws {
    let left = bytes - max(settings.reserveFreeBytes, WritePolicy.reservedRoom)
    room.isStale = true
    // Each look ends with one wish.
    room.asked = nil
    for var download in try turn.tables.downloads.waitingForStorage(limit: Obstacle.roomlessLimit)
    where download.isShort && download.roomBytes <= left {
      try transition(&download, to: .queued, in: turn)
    }
  }
}

/// Bytes that have to be freed before the storage quota has room.
struct QuotaNeed: Hashable, Sendable {
  /// How many downloads that wait are looked at.
  static let limit = 8

  var bytes: Int64
  /// What waits for it; nil if the files that are there exceed the quota.
  var download: DownloadID?
  /// Whether a rule has asked for that.
  var isOfRule = false
  /// The whole length of its file, as its server has said; nil unless bytes of it are here.
  var length: Int64?
}

extension [Download] {
  /// What the first of them need, each by itself.
  fileprivate var line: [QuotaNeed] {
    prefix(QuotaNeed.limit).map {
      QuotaNeed(
        bytes: $0.neededBytes, download: $0.id, isOfRule: $0.origin == .auto,
        length: $0.progress.durable > 0 ? $0.progress.total : nil)
    }
  }
}

extension Download {
  /// Whether it is to start once there is room: it waits for that, or has found it and is in the queue.
  fileprivate var isAwaitingRoom: Bool {
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

  /// How many bytes there must be room for before a server is asked for them.
  var neededBytes: Int64 { missingBytes ?? TransferMachine.leastRoom }

  /// The same, for the first look at a file whose length may be another than was said.
  func neededBytes(doubtingLength isDoubted: Bool) -> Int64 {
    isDoubted ? min(neededBytes, TransferMachine.leastRoom) : neededBytes
  }

  /// How many bytes must be free beside the reserve before it is tried again. A file whose length only its client has
  /// named needs room for some pieces: with less it would be back at once.
  fileprivate var roomBytes: Int64 {
    progress.total == nil ? max(neededBytes, 2 * TransferMachine.leastRoom) : neededBytes
  }

  /// Whether it waits for bytes that were measured and found too few. Where the system has refused to write although
  /// there seemed to be room (a quota of its own, no more inodes), free bytes tell nothing.
  fileprivate var isShort: Bool {
    if case .waiting(let waiting) = state { waiting.error.shortBytes != nil } else { false }
  }
}
