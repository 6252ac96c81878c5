import Flux

/// Replaces addresses at which downloads fail: many publishers sign the addresses of their files, for some hours, and
/// some go to another host.
extension PodcastsStore {
  /// An attempt at a download's address has failed. If the download's episode is elsewhere by now it goes on there; if
  /// not, and it is not tried again by itself, the feed is refreshed soon, and may say where.
  mutating func seekAddress(for id: DownloadID, in turn: inout StoreTurn<Self>) throws {
    guard let episode = try turn.tables.episodes.find(having: id), let feed = try turn.tables.feeds.find(episode.feed)
    else { return }
    guard let download = try failedDownload(id, in: turn),
      try !offerAddress(of: episode, in: feed, to: download, in: &turn), download.state.kind == .failed,
      !episode.isMissingFromFeed
    else { return }
    try hasten(feed, in: turn)
  }

  /// An episode with this download may have got another address.
  func offerAddress(
    of id: EpisodeID, in feed: Feed, to download: DownloadID, in turn: inout StoreTurn<Self>
  ) throws {
    guard let failed = try failedDownload(download, in: turn), let episode = try turn.tables.episodes.find(id) else {
      return
    }
    _ = try offerAddress(of: episode, in: feed, to: failed, in: &turn)
  }

  /// A download whose last attempt has failed, if its file may be elsewhere; nil if it is gone, or fresh addresses have
  /// failed too. One that waits to be tried again must have failed twice without progress: a connection that broke says
  /// nothing of the address.
  private func failedDownload(_ id: DownloadID, in turn: borrowing StoreTurn<Self>) throws -> Download? {
    guard let download = try turn.tables.downloads.find(id), let error = download.state.failure,
      error.mayBeElsewhere, download.freshAddresses < Limits.freshAddresses,
      download.state.kind == .failed || download.failures > 1
    else { return nil }
    return download
  }

  /// Has a download whose last attempt has failed go on at its episode's address, if that is another one.
  ///
  /// - Returns: Whether it does.
  private func offerAddress(
    of episode: Episode, in feed: Feed, to download: Download, in turn: inout StoreTurn<Self>
  ) throws -> Bool {
    guard let wish = DownloadIntent.Enqueue(of: episode, in: feed), wish.address != download.address,
      try hadAddress(download.address, episode, in: turn)
    else { return false }
    turn.tell(.podcasts(.renewed(download.id, wish)))
    return true
  }

  /// Whether an address was the episode's. One that a client has chosen is not replaced.
  private func hadAddress(
    _ address: WebAddress, _ episode: Episode, in turn: borrowing StoreTurn<Self>
  ) throws -> Bool {
    // A signature is in the query; addresses that differ only in it, or in the scheme, are not all remembered.
    if let present = episode.content.enclosure?.address, present.place.elementsEqual(address.place) { return true }
    return try turn.tables.episodes.formerEnclosures(of: episode.id).contains(address)
  }

  /// Lets the next refresh of a feed come soon, unless it is paused, has ended, or fails.
  private mutating func hasten(_ feed: Feed, in turn: borrowing StoreTurn<Self>) throws {
    let (refreshes, now) = (feed.refreshes, turn.now)
    guard live[feed.id] == nil, !feed.wishes.isPaused, !refreshes.hasEnded, refreshes.error == nil else { return }
    let earliest = refreshes.last?.advanced(byMilliseconds: Limits.freshAddressMilliseconds) ?? now
    let next = max(now, earliest)
    guard next < refreshes.next else { return }
    var feed = feed
    feed.refreshes.next = next
    try turn.tables.feeds.updateRefreshes(of: feed)
    hostsToSearch = nil
  }
}

extension WebAddress {
  /// The address without its scheme and its query.
  fileprivate var place: Substring.UTF8View {
    description.utf8.drop { $0 != UInt8(ascii: ":") }.prefix { $0 != UInt8(ascii: "?") }
  }
}
