import PodfluxCore

/// The stores as clients see them (the article Protocol).
extension JSONWriter {
  mutating func members(of snapshot: Snapshot) {
    if let cleanup = snapshot.cleanup { object("cleanup") { $0.members(of: cleanup) } }
    if let downloads = snapshot.downloads { object("downloads") { $0.members(of: downloads) } }
    if let engine = snapshot.engine { object("engine") { $0.members(of: engine) } }
    if let filters = snapshot.filters { object("filters") { $0.members(of: filters) } }
    if let network = snapshot.network { object("network") { $0.members(of: network) } }
    if let settings = snapshot.settings { object("settings") { $0.members(of: settings) } }
  }

  mutating func members(of engine: EngineSnapshot) {
    member("library", engine.library)
    member("protocol", LineEncoder.protocolVersion)
    member("version", engine.version)
  }

  mutating func members(of settings: Settings) {
    member("allowInsecureRedirects", settings.allowInsecureRedirects)
    member("bytesPerSecond", settings.bytesPerSecond)
    member("cellularBudgetBytesPerMonth", settings.cellularBudgetBytesPerMonth)
    member("checksum", settings.checksum)
    member("cleanupOnStart", settings.cleanupOnStart)
    member("connectTimeoutSeconds", settings.connectTimeoutSeconds)
    member("fileTimes", settings.fileTimes.rawValue)
    member("firstByteTimeoutSeconds", settings.firstByteTimeoutSeconds)
    member("maxAttempts", settings.maxAttempts)
    member("maxConcurrent", settings.maxConcurrent)
    member("maxFileBytes", settings.maxFileBytes)
    member("maxPerHost", settings.maxPerHost)
    member("nameTimeZone", settings.nameTimeZone.text)
    object("network") { $0.members(of: settings.network) }
    member("orphans", settings.orphans.rawValue)
    member("portableNames", settings.portableNames)
    member("progressInterval", settings.progressInterval)
    member("quarantineDays", settings.quarantineDays)
    member("reserveFreeBytes", settings.reserveFreeBytes)
    member("retryFirstSeconds", settings.retryFirstSeconds)
    member("retryMaxSeconds", settings.retryMaxSeconds)
    member("schedule", settings.schedule)
    member("slowBytesPerSecond", settings.slowBytesPerSecond)
    member("slowWindowSeconds", settings.slowWindowSeconds)
    member("stallTimeoutSeconds", settings.stallTimeoutSeconds)
    member("storageQuotaBytes", settings.storageQuotaBytes)
    member("userAgent", settings.userAgent)
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
