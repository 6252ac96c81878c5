import PodfluxCore

/// The stores as clients see them (the article Protocol).
extension JSONWriter {
  mutating func members(of snapshot: Snapshot) {
    if let cleanup = snapshot.cleanup { object("cleanup") { $0.members(of: cleanup) } }
    if let downloads = snapshot.downloads { object("downloads") { $0.members(of: downloads) } }
    if let engine = snapshot.engine { object("engine") { $0.members(of: engine) } }
    if let episodes = snapshot.episodes { object("episodes") { $0.members(of: episodes) } }
    if let feeds = snapshot.feeds { object("feeds") { $0.members(of: feeds) } }
    if let filters = snapshot.filters { object("filters") { $0.members(of: filters) } }
    if let network = snapshot.network { object("network") { $0.members(of: network) } }
    if let sessions = snapshot.sessions { object("sessions") { $0.members(of: sessions) } }
    if let settings = snapshot.settings { object("settings") { $0.members(of: settings) } }
  }

  mutating func members(of engine: EngineSnapshot) {
    member("library", engine.library)
    member("protocol", LineEncoder.protocolVersion)
    member("version", engine.version)
  }

  private mutating func members(of downloads: DownloadsSnapshot) {
    totals(of: downloads)
    array("items", downloads.items) { item, items in
      items.object { $0.members(of: item, showing: downloads.fields) }
    }
    member("next", downloads.next?.text)
  }

  /// What is said of the downloads beside the page.
  mutating func totals(of downloads: DownloadsSnapshot) {
    member("bytesPerSecond", downloads.bytesPerSecond)
    object("counts") { counts in
      counts.member("completed", downloads.counts[.completed, default: 0])
      counts.member("failed", downloads.counts[.failed, default: 0])
      counts.member("paused", downloads.counts[.paused, default: 0])
      counts.member("queued", downloads.counts[.queued, default: 0])
      counts.member("running", downloads.counts[.running, default: 0])
      counts.member("waiting", downloads.counts[.waiting, default: 0])
    }
    object("discarded") { discarded in
      discarded.member("bytes", downloads.discarded.total)
      discarded.member(discardedByCause: downloads.discarded)
    }
  }
}
