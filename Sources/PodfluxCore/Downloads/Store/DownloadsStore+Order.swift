import Flux

/// Places in the queue.
extension DownloadsStore {
  /// The distance between neighbours: twenty moves to the same spot before places must be spread anew.
  static let positionStep: Int64 = 1 << 20

  /// A place beyond the present end.
  func rank(at end: QueueEnd, of priority: Priority, in turn: borrowing StoreTurn<Self>) throws -> Download.Rank {
    let outermost = try turn.tables.downloads.position(of: end, in: priority)
    let step = end == .first ? -Self.positionStep : Self.positionStep
    return .init(priority: priority, position: outermost.map { $0 + step } ?? 0)
  }

  /// A place for the download at an end of its priority; nil if it stands there.
  func rank(at end: QueueEnd, for download: Download, in turn: borrowing StoreTurn<Self>) throws -> Download.Rank? {
    let (priority, position) = (download.rank.priority, download.rank.position)
    guard try turn.tables.downloads.position(of: end, in: priority) != position else { return nil }
    return try rank(at: end, of: priority, in: turn)
  }

  /// A place for the download directly before or after the anchor; nil if it stands there. May respace all of the
  /// priority.
  func rank(
    besides anchorID: DownloadID, towards end: QueueEnd, for download: Download, in turn: borrowing StoreTurn<Self>
  ) throws -> Download.Rank? {
    let downloads = turn.tables.downloads
    guard anchorID != download.id else {
      throw Refusal(.conflict, "a download cannot be moved next to itself; name another anchor", path: "payload.anchor")
    }
    guard let anchor = try downloads.find(anchorID) else {
      throw Refusal(.notFound, "there is no download \"\(anchorID)\" to move next to", path: "payload.anchor")
    }
    guard anchor.rank.priority == download.rank.priority else {
      throw Refusal(
        .conflict,
        "the anchor's priority is \(anchor.rank.priority.rawValue), the download's \(download.rank.priority.rawValue); "
          + "moves are within one priority: use downloads/update to change it", path: "payload.anchor")
    }
    let neighbour = try downloads.position(nextTo: anchor.rank, towards: end)
    guard neighbour != download.rank.position else { return nil }
    if let rank = try place(between: anchor.rank, and: neighbour, towards: end, in: turn) { return rank }
    try downloads.respace(anchor.rank.priority, step: Self.positionStep)
    guard let respaced = try downloads.find(anchorID)?.rank,
      let rank = try place(
        between: respaced, and: downloads.position(nextTo: respaced, towards: end), towards: end, in: turn)
    else { throw StateFault("places in the queue that were spread have no gaps between them") }
    return rank
  }

  /// A place between the anchor and its neighbour, or at the end if it has none; nil if there is no gap.
  private func place(
    between anchor: Download.Rank, and neighbour: Int64?, towards end: QueueEnd, in turn: borrowing StoreTurn<Self>
  ) throws -> Download.Rank? {
    guard let neighbour else { return try rank(at: end, of: anchor.priority, in: turn) }
    let middle = anchor.position + (neighbour - anchor.position) / 2
    guard middle != anchor.position, middle != neighbour else { return nil }
    return .init(priority: anchor.priority, position: middle)
  }
}
