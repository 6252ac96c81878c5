import Flux

/// The waiting list: what rules want, and waits for room.
///
/// A rule may want thousands of episodes that the quota leaves no room for. Some of them wait by themselves; from
/// `Obstacle.roomlessLimit` on the others stay in the queue behind an obstacle (`Obstacles.rules`), and no row is
/// written for them. Of all of them the waiting list has those of the newest episodes: room is freed for them and
/// promised to them, and they start although the others are kept.
extension DownloadsStore {
  /// What rules want, the newest first, as long as too much of it waits for the quota.
  struct WaitingList: Hashable, Sendable {
    /// At most `Obstacle.roomlessLimit`, which are queued or wait for storage.
    var ids: [DownloadID]
    /// Whether there are no others.
    var isWhole: Bool
    /// What has come to the queue since: some of these may belong to the waiting list.
    var arrivals: [DownloadID] = []
  }

  /// Whether the waiting list is to be read: too much of what rules want has come to wait just now.
  var lacksWaitingList: Bool { room.lack.obstacleOfRules != nil && room.waitingList == nil }

  /// Notes that a download is in the queue: it may be of a newer episode than those that wait for room.
  mutating func noteArrival(of download: Download) {
    guard room.waitingList != nil, download.origin == .auto, download.state == .queued else { return }
    room.isStale = true
    room.waitingList?.arrivals.append(download.id)
    // Many at once are found by reading.
    if room.waitingList?.arrivals.count ?? 0 > Obstacle.roomlessLimit { forgetWaitingList() }
  }

  /// Has the waiting list read anew: much may have changed.
  mutating func forgetWaitingList() {
    (room.waitingList, room.isStale) = (nil, true)
  }

  /// Brings the waiting list up to date. It is read when too much has come to wait, when many have come to the queue,
  /// and when half of it has gone: never in each turn.
  mutating func followWaitingList(_ settings: Settings, in turn: borrowing StoreTurn<Self>) throws {
    guard room.lack.obstacleOfRules != nil else { return room.waitingList = nil }
    let limit = Obstacle.roomlessLimit
    if let former = room.waitingList {
      var list = WaitingList(ids: [], isWhole: former.isWhole)
      var found = try candidates(former, besides: [], settings, in: turn)
      if !former.arrivals.isEmpty { found = try inOrder(found, in: turn) }
      if found.count > limit { list.isWhole = false }
      list.ids = found.prefix(limit).map(\.id)
      room.waitingList = list
      guard !list.isWhole, list.ids.count < limit / 2 else { return }
    }
    let ids = try turn.tables.downloads.awaitedByRules(ofAtMost: settings.storageQuotaBytes, limit: limit)
    room.waitingList = WaitingList(ids: ids, isWhole: ids.count < limit)
  }

  /// Those that wait for room, as it goes to them: what a person has asked for, then what rules want, the newest first.
  /// While too much of that waits, what is in the queue and belongs to the waiting list is among them.
  func waitingInOrder(_ settings: Settings, in turn: borrowing StoreTurn<some DomainStore>) throws -> [Download] {
    let waiting = try turn.tables.downloads.waitingForStorage(limit: Obstacle.roomlessRead)
    var ofRules = waiting.filter { $0.origin == .auto }
    if room.lack.obstacleOfRules != nil, let list = room.waitingList {
      ofRules += try candidates(list, besides: Set(ofRules.map(\.id)), settings, in: turn).filter(mayStartWithRoom)
    }
    guard !ofRules.isEmpty else { return waiting }
    return waiting.filter { $0.origin != .auto } + (try inOrder(ofRules, in: turn))
  }

  /// The downloads of the waiting list that may get room, each once.
  private func candidates(
    _ list: WaitingList, besides others: Set<DownloadID>, _ settings: Settings,
    in turn: borrowing StoreTurn<some DomainStore>
  ) throws -> [Download] {
    var (found, seen) = ([Download](), others)
    for id in list.ids + list.arrivals where seen.insert(id).inserted {
      guard let download = try turn.tables.downloads.find(id), download.mayStandOnWaitingList(settings) else {
        continue
      }
      found.append(download)
    }
    return found
  }

  /// What rules want, those of the newest episodes first.
  private func inOrder(_ downloads: [Download], in turn: borrowing StoreTurn<some DomainStore>) throws -> [Download] {
    var places: [DownloadID: RuledEpisode.Place] = [:]
    for download in downloads { places[download.id] = try turn.tables.rules.place(having: download.id) }
    return downloads.enumerated().sorted { lhs, rhs in
      switch (places[lhs.element.id], places[rhs.element.id]) {
      case (let left?, let right?) where left != right: right < left
      case (.some, nil): true
      case (nil, .some): false
      default: lhs.offset < rhs.offset
      }
    }.map(\.element)
  }

  /// What is in the queue behind the obstacle of what rules want, and has been promised room: the newest first.
  func promisedInOrder(in turn: borrowing StoreTurn<Self>) throws -> [Download] {
    var found: [Download] = []
    for id in room.promised.keys.sorted() {
      guard let download = try turn.tables.downloads.find(id), download.isAdmissible, download.origin == .auto else {
        continue
      }
      found.append(download)
    }
    return try inOrder(found, in: turn)
  }

  /// What the first of those that wait need, each by itself. What no freed room would be enough for is passed over.
  func needs(
    of waiting: [Download], _ settings: Settings, in turn: borrowing StoreTurn<some DomainStore>
  ) -> [QuotaNeed] {
    let now = turn.now
    let hopeful = waiting.lazy.filter { download in
      // The bytes of one that is here and can never be complete are to go.
      download.progress.durable.addingClamped(download.neededBytes) <= settings.storageQuotaBytes
        || download.origin == .auto && download.progress.durable > 0
    }
    return hopeful.prefix(QuotaNeed.limit).map { download in
      let isBelieved = !doubtsLength(of: download, at: now)
      return QuotaNeed(
        bytes: download.neededBytes, claimed: isBelieved ? download.missingBytes ?? 0 : 0, download: download.id,
        isOfRule: download.origin == .auto, length: download.progress.durable > 0 ? download.progress.total : nil)
    }
  }
}

extension Download {
  /// Whether room may go to it as to what rules want: not where it is known, or said, to be longer than the quota.
  fileprivate func mayStandOnWaitingList(_ settings: Settings) -> Bool {
    origin == .auto && isAwaitingRoom && length ?? 0 <= settings.storageQuotaBytes
  }
}
