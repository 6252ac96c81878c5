import PodfluxCore

/// The stores as clients see them (the article Protocol).
extension JSONWriter {
  mutating func members(of snapshot: Snapshot) {
    for (store, part) in RenderedState(snapshot).parts.sorted(by: { $0.store.rawValue < $1.store.rawValue }) {
      key(named: store.rawValue)
      switch part {
      case .object(let json): element(json: json)
      case .list(let list):
        object { members in
          members.members(of: list.totals)
          members.array("items", list.items) { $1.element(json: $0.json) }
          members.member("next", list.next)
        }
      }
    }
  }

  mutating func members(of engine: EngineSnapshot) {
    member("library", engine.library)
    member("protocol", LineEncoder.protocolVersion)
    member("version", engine.version)
  }

  /// Writes the totals of all downloads, beside the page.
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
