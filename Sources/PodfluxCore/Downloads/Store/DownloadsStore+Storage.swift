import Flux

/// Room on the disk, and the quota. Attempts find out that there is too little; here is who waits for it, and until
/// when.
extension DownloadsStore {
  /// The store's view of the downloads that wait for room.
  struct RoomWatch: Hashable, Sendable {
    /// Whether the list of waiting downloads has to be read again.
    var isStale = false
    /// How many downloads wait for room.
    var waiting = 0
    /// The needs of the first waiting downloads, in the order in which they get room. Valid unless `isStale`.
    var firstNeeds: [QuotaNeed] = []
    /// The needs for which the storage quota left no room in the last turn.
    var needs: [QuotaNeed] = []
    /// Whether the files' bytes were counted anew before the first of these.
    var isRecounted = false
    /// How the downloads that wait for room obstruct queued ones.
    var lack = LackOfRoom()
    /// The downloads that rules want beside the waiting ones; nil where nothing has looked for them.
    var waitingList: WaitingList?
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
  static let promises = 64

  /// How long a download waits for a full disk before it is tried, even if no room was reported, in milliseconds: 10 to
  /// 15 minutes. The disk's free bytes are watched meanwhile, and each try writes to the full disk.
  private static let roomWaitMilliseconds: ClosedRange<Int64> = 600_000...900_000

  /// How long a download waits for what the machine lacks, in milliseconds: longer than commands wait for one.
  static let machineWaitMilliseconds: ClosedRange<Int64> = 330_000...480_000

  /// For how long what was said of a file's length is believed where there is no room for so much. Then, or when a
  /// client wants the download tried again, its server is asked anew: one absurd number must not keep a download for
  /// ever.
  static let lengthBelievedMilliseconds: Int64 = 3_600_000

  /// Whether the length of a download's file is to be asked for anew before it is found too much.
  func doubtsLength(of download: Download, at now: Timestamp) -> Bool {
    let said = download.lengthSaidAt
    let age = now.milliseconds - said.milliseconds
    // A clock that was set back has said it later than now.
    guard (0..<Self.lengthBelievedMilliseconds).contains(age) else { return true }
    return room.doubtedAt.map { said < $0 } ?? false
  }

  mutating func waitForRoom(
    _ download: inout Download, after error: DownloadError, in turn: inout StoreTurn<Self>
  ) throws {
    let delay = Int64.random(in: Self.roomWaitMilliseconds, using: &turn.random)
    room.isStale = true
    room.waiting += 1
    try wait(&download, for: .storage(until: turn.now.advanced(byMilliseconds: delay), after: error), in: &turn)
  }

  /// Has a download wait on that has waited for room long enough, and that the quota leaves none for all the same:
  /// until it is looked at again, or until its length is not believed any more. Returns whether it does.
  mutating func keepsWaiting(
    _ download: inout Download, settings: Settings, in turn: inout StoreTurn<Self>
  ) throws -> Bool {
    guard case .waiting(.storage) = download.state,
      let error = try overQuota(download, settings: settings, in: turn)
    else { return false }
    let delay = Int64.random(in: Self.roomWaitMilliseconds, using: &turn.random)
    var until = turn.now.advanced(byMilliseconds: delay)
    let doubted = download.lengthSaidAt.advanced(byMilliseconds: Self.lengthBelievedMilliseconds)
    if doubted > turn.now { until = min(until, doubted) }
    try transition(&download, to: .waiting(.storage(until: until, after: error)), in: turn)
    return true
  }

  /// Has a queued download wait that the quota leaves no room for. When too many wait, others are not looked at any
  /// more from now on.
  mutating func waitForQuota(
    _ download: inout Download, after error: DownloadError, in turn: inout StoreTurn<Self>
  ) throws {
    try waitForRoom(&download, after: error, in: &turn)
    room.lack.add(download, lacksQuota: true)
    obstacles.all = obstacles.all ?? room.lack.obstacle
    obstacles.rules = room.lack.obstacleOfRules
  }

  // MARK: Those that wait

  /// Looks who waits, lets go who has room by the quota now, and has it watched when the disk has room for one more.
  mutating func lookForRoom(settings: Settings, in turn: inout StoreTurn<Self>) throws {
    if !room.promised.isEmpty { try endPromises(in: turn) }
    let lackedList = lacksWaitingList
    var left = try quotaLeft(toBegin: nil, settings, in: turn)
    // After a start it is not known who has found too little: what has been woken is in the queue, and goes first.
    let formerly = room.quotaLeft ?? .max
    guard room.isStale || lackedList || room.waiting > 0 && left > formerly else {
      room.quotaLeft = left
      return
    }
    try followWaitingList(settings, in: turn)
    var waiting: [Download] = []
    var postponedIDs: Set<DownloadID> = []
    // The least that one would need which has room, and waits until others have started: each turn looks at all
    // promises.
    var postponed: Int64 = .max
    for var download in try waitingInOrder(settings, in: turn) {
      // What is in the queue has not been tried, and so has found no full disk.
      let isQueued = download.state == .queued
      let promised = room.promised[download.id]
      let own = left.addingClamped(promised ?? 0)
      let hasRoom = (promised != nil || isQueued || download.neededBytes > formerly) && download.neededBytes <= own
      if hasRoom, promised == nil, room.promised.count >= Self.promises {
        postponed = min(postponed, download.neededBytes)
        postponedIDs.insert(download.id)
        waiting.append(download)
      } else if hasRoom {
        if settings.storageQuotaBytes > 0 {
          room.promised[download.id] = download.neededBytes
          left = own - download.neededBytes
        }
        if !isQueued { try transition(&download, to: .queued, in: turn) }
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
      if download.state != .queued { try transition(&download, to: .queued, in: turn) }
    }
    room.firstNeeds = needs(of: waiting, settings, in: turn)
    waiting.removeAll { $0.state == .queued }
    let reserve = max(settings.reserveFreeBytes, WritePolicy.reservedRoom)
    let wanted = waiting.filter { $0.isShort && $0.neededBytes <= left }.map(\.roomBytes).min().map { $0 + reserve }
    room.isStale = false
    room.waiting = waiting.count
    room.quotaLeft = min(left, postponed - 1)
    room.lack = LackOfRoom(of: waiting) { [left] in left < $0.neededBytes || postponedIDs.contains($0.id) }
    // The downloads that may go on have their promises by now.
    room.waitingList?.arrivals = []
    guard wanted != room.asked else { return }
    room.asked = wanted
    turn.perform(.watchRoom(atLeast: wanted))
  }

  /// So many bytes are free: those that fit go on.
  mutating func wake(withRoom bytes: Int64, settings: Settings, in turn: inout StoreTurn<Self>) throws {
    let left = bytes - max(settings.reserveFreeBytes, WritePolicy.reservedRoom)
    room.isStale = true
    // Each look ends with one wish.
    room.asked = nil
    for var download in try turn.tables.downloads.waitingForStorage(limit: Obstacle.roomlessRead)
    where download.isShort && download.roomBytes <= left {
      // No room on the disk helps what the quota leaves none for.
      guard try overQuota(download, settings: settings, in: turn) == nil else { continue }
      try transition(&download, to: .queued, in: turn)
      exempt(
        download, doubtingLength: doubtsLength(of: download, at: turn.now),
        within: try quotaLeft(toBegin: download.id, settings, in: turn))
    }
  }
}
