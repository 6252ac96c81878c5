import Flux
import Foundation
import Persistence
import PodfluxCore

/// A hash of each table, so that two libraries can be compared long after one of them is gone.
struct TableHashes: Sendable {
  /// By name, in a fixed order.
  private var tables: [(name: String, hash: UInt64)] = []

  init(of database: LibraryDatabase) throws {
    try database.read { tables in
      try add("downloads") { hash in
        for download in try tables.downloads(limit: PageRequest.maximumLimit) { hash.mix("\(download)") }
      }
      try add("position") { hash in
        let position = try tables.position()
        hash.mix(position.revision)
        hash.mix(position.sequence)
      }
      try add("settings") { hash in
        // A dictionary's description has another order each time.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        hash.mix(String(decoding: try encoder.encode(try tables.settings()), as: UTF8.self))
      }
      try add("filters") { hash in hash.mix("\(try tables.filters())") }
      try add("network") { hash in hash.mix("\(try tables.network())") }
      try add("counts") { hash in
        let counts = try tables.counts()
        for kind in DownloadState.Kind.allCases { hash.mix(Int64(counts[kind, default: 0])) }
      }
      try add("cooldowns") { hash in
        for (host, moment) in try tables.cooldowns().sorted(by: { $0.key < $1.key }) {
          hash.mix(host)
          hash.mix(moment.milliseconds)
        }
      }
      try add("discarded") { hash in hash.mix("\(try tables.discarded())") }
      try add("cleanup runs") { hash in
        for run in try tables.cleanupRuns() {
          hash.mix("\(run.key) \(run.options) \(run.stage) \(run.freedBytes) \(run.askedAt) \(run.reason ?? "")")
          for kind in CleanupStep.Finding.Kind.allCases { hash.mix("\(run.tallies[kind] ?? .init())") }
        }
      }
      try add("feeds") { hash in try tables.forEachFeed { hash.mix("\($0)") } }
      try add("episodes") { hash in
        let query = EpisodesQuery(order: .init(.added), limit: 100_000)
        let moment = ConditionMoment(now: Timestamp(milliseconds: 0))
        for item in try tables.episodes(query, at: moment).items { hash.mix("\(item.episode)") }
        var keys: [Feed.Key] = []
        try tables.forEachFeed { keys.append($0.key) }
        for key in keys { hash.mix("\(try tables.episodeTraces(of: key, withNotes: true))") }
      }
      try add("sessions") { hash in for session in try tables.sessions() { hash.mix("\(session)") } }
      try add("cleanup steps") { hash in
        for step in try tables.cleanupSteps(PageRequest(limit: 100_000)).steps { hash.mix("\(step)") }
      }
    }
  }

  private mutating func add(_ name: String, _ mix: (inout StableHash) throws -> Void) rethrows {
    var hash = StableHash()
    try mix(&hash)
    tables.append((name, hash.value))
  }

  /// The names of the tables that hold something else there.
  func names(differingFrom other: TableHashes) -> [String] {
    zip(tables, other.tables).filter { $0.hash != $1.hash }.map(\.0.name)
  }

  /// Adds all tables to a hash.
  func mix(into hash: inout StableHash) {
    for table in tables { hash.mix(table.hash) }
  }
}
