import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("Downloads are read back unchanged")
struct RoundTripTests {
  private let database: LibraryDatabase

  init() throws {
    database = try LibraryDatabase.inMemory()
  }

  private func roundTrip(_ download: Download) throws {
    try database.write { tables in
      try tables.downloads.insert(download)
      #expect(try tables.downloads.find(download.id) == download)
      try tables.downloads.update(download)
      #expect(try tables.downloads.find(download.id) == download)
      #expect(try tables.downloads.find(download.address) == (download.state.kind == .failed ? nil : download.id))
    }
    #expect(try database.read { try $0.download(download.id) } == download)
  }

  @Test("In every state and phase")
  func states() throws {
    for (index, state) in try Sample.states().enumerated() {
      try roundTrip(try Sample.download("x\(index)", state: state))
    }
  }

  @Test("With every field filled, to the ends of its range")
  func fullRow() throws {
    for priority in Priority.allCases {
      for origin in Origin.allCases {
        var download = try Sample.download("\(priority)-\(origin)", state: .completed(Sample.file()))
        download.description = Download.Description(
          podcast: "Show", title: "Title",
          published: PublicationDate(Timestamp(milliseconds: -(1 << 53)), offsetSeconds: 86_340),
          path: try LibraryPath(validating: "wanted/ep.mp3"),
          headers: [Header(name: "A", value: "1"), Header(name: "A", value: "2/\u{0}\"\\")],
          mirrors: [try WebAddress("http://mirror.example/\"'?q=1")],
          integrity: Sample.integrity,
          expectedLength: Sample.longest)
        download.rank = .init(priority: priority, position: -(1 << 40))
        download.origin = origin
        var discarded = Download.Discarded()
        discarded.add(1 << 61, because: .contentChanged)
        discarded.add(1 << 61, because: .notMedia)
        download.progress = .init(
          durable: Sample.longest, total: Sample.longest, discarded: discarded, resume: Sample.record)
        download.failures = 1_000_000
        download.round = .init(source: 1, mayPass: true)
        download.freshAddresses = 3
        download.restarts = 2
        download.dates = .init(added: Timestamp(milliseconds: 1 << 53), started: Sample.moment, finished: Sample.moment)
        download.isHeld = true
        download.networks = .init(own: .any, podcast: .unmetered)
        try roundTrip(download)
      }
    }
  }

  /// A download to change, as the change's columns demand it.
  private enum Base {
    case plain
    /// It is fetched from its mirror.
    case mirrored
    case complete

    func download(_ id: String) throws -> Download {
      var download = try Sample.download(id)
      switch self {
      case .plain: break
      case .mirrored:
        download.description.mirrors = [try WebAddress("https://mirror.example/\(id)")]
        download.round.source = 1
      case .complete: (download.state, download.dates.finished) = (.completed(try Sample.file()), Sample.moment)
      }
      return download
    }
  }

  /// One change for each property of a download.
  private static let changes: [(name: String, base: Base, change: @Sendable (inout Download) throws -> Void)] = [
    ("address", .plain, { $0.address = try WebAddress("https://other.example/ep") }),
    ("address of the first source", .mirrored, { $0.address = try WebAddress("https://b.example/e") }),
    ("podcast", .plain, { $0.description.podcast = "Another" }),
    ("title", .plain, { $0.description.title = "Another" }),
    ("published", .plain, { $0.description.published = PublicationDate(Sample.moment, offsetSeconds: 3600) }),
    ("path", .plain, { $0.description.path = try LibraryPath(validating: "a/b.mp3") }),
    ("headers", .plain, { $0.description.headers = [Header(name: "A", value: "1")] }),
    ("mirrors", .plain, { $0.description.mirrors = [try WebAddress("https://mirror.example/ep")] }),
    ("integrity", .plain, { $0.description.integrity = Sample.integrity }),
    ("expected length", .plain, { $0.description.expectedLength = 5 }),
    ("priority", .plain, { $0.rank.priority = .high }),
    ("position", .plain, { $0.rank.position = 77 }),
    ("origin", .plain, { $0.origin = .auto }),
    ("state", .plain, { $0.state = .paused }),
    ("wait", .plain, { $0.state = .waiting(.retry(at: Sample.moment, after: DownloadError(.io, "m"))) }),
    ("error", .plain, { $0.state = .failed(DownloadError(.io, "m", status: 404, cause: .io, shortBytes: 3)) }),
    ("phase", .plain, { $0.state = .running(.verifying) }),
    ("file", .plain, { $0.state = .running(.publishing(try Sample.file())) }),
    ("durable", .plain, { $0.progress.durable = 5 }),
    ("total", .plain, { $0.progress.total = 5 }),
    ("discarded", .plain, { $0.progress.discarded.add(5, because: .contentChanged) }),
    ("resume", .plain, { $0.progress.resume = Sample.record }),
    ("failures", .plain, { $0.failures = 1 }),
    ("fresh addresses", .plain, { $0.freshAddresses = 1 }),
    ("restarts", .plain, { $0.restarts = 1 }),
    ("source", .mirrored, { $0.round.source = 0 }),
    ("may pass", .plain, { $0.round.mayPass.toggle() }),
    ("added", .plain, { $0.dates.added = Timestamp(milliseconds: 5) }),
    ("started", .plain, { $0.dates.started = Sample.moment }),
    ("finished", .complete, { $0.dates.finished = Timestamp(milliseconds: 7) }),
    ("modified", .complete, { $0.dates.modified = Sample.moment }),
    ("held", .plain, { $0.isHeld.toggle() }),
    ("own policy", .plain, { $0.networks.own = .any }),
    ("podcast's policy", .plain, { $0.networks.podcast = .any }),
    ("tagged", .complete, { $0.tagging = .tagged(.init(length: 5, sha256: nil)) }),
    ("untagged", .complete, { $0.tagging = .untagged(because: "r") }),
    ("session", .plain, { $0.session = 1 }),
    ("namer", .plain, { $0.namer = .feed(.public) }),
  ]

  @Test("With a change of one property alone, by an insertion and by an update", arguments: changes.map(\.name))
  func oneChange(name: String) throws {
    let (_, base, change) = try #require(Self.changes.first { $0.name == name })
    let (plain, other) = (try base.download("plain"), try base.download("other"))
    var (changed, changedOther) = (plain, other)
    try change(&changed)
    try change(&changedOther)
    #expect(changed != plain)
    let (update, insertion) = (changed, changedOther)
    try database.write { tables in
      try tables.downloads.insert(plain)
      try tables.downloads.update(update)
      try tables.downloads.insert(insertion)
    }
    #expect(try database.read { try $0.download(plain.id) } == update)
    #expect(try database.read { try $0.download(other.id) } == insertion)
  }

  @Test("No property of a download is left out of the changes above")
  func allProperties() throws {
    var changed = try Sample.download("plain")
    let plain = changed
    for (_, _, change) in Self.changes { try change(&changed) }
    func same(_ old: Any, _ new: Any) -> [String] {
      zip(Mirror(reflecting: old).children, Mirror(reflecting: new).children)
        .filter { String(describing: $0.value) == String(describing: $1.value) }.map { $0.0.label ?? "" }
    }
    #expect(same(plain, changed) == ["id"])
    #expect(same(plain.description, changed.description) == [])
    #expect(same(plain.rank, changed.rank) == [])
    #expect(same(plain.progress, changed.progress) == [])
    #expect(same(plain.dates, changed.dates) == [])
    #expect(same(plain.networks, changed.networks) == [])
  }

  static let hostileTexts = [
    "", " ", "'; DROP TABLE downloads; --", "\"", "%s%n", "?1", "\u{202E}evil", "e\u{301}", "\u{E9}",
    "\u{1F468}\u{200D}\u{1F469}",
    "line\nbreak\r\n", "tab\t", "\u{FEFF}bom", "\u{FFFF}\u{10FFFF}",
    String(repeating: "long ", count: 20_000),
  ]

  @Test("With hostile text from a client or a server", arguments: hostileTexts)
  func hostileText(text: String) throws {
    let error = DownloadError(.io, text)
    let description = Download.Description(
      podcast: text, title: text, headers: [Header(name: "X-Text", value: text)])
    let download = try Sample.download(state: .failed(error), description: description)
    try roundTrip(download)
    let stored = try #require(try database.read { try $0.download(download.id) })
    // Swift compares by canonical equivalence: the bytes must be equal too.
    #expect(stored.description.title.map { Array($0.utf8) } == Array(text.utf8))
    #expect(stored.description.podcast.map { Array($0.utf8) } == Array(text.utf8))
    #expect(stored.description.headers.first.map { Array($0.value.utf8) } == Array(text.utf8))
  }

  /// SQLite's text functions end at a NUL, and so does GRDB's reading: the rest must not get lost silently.
  @Test("NUL, which SQLite's text cannot hold, becomes the replacement character")
  func nul() throws {
    let description = Download.Description(podcast: "\u{0}", title: "nul\u{0}inside")
    let download = try Sample.download(state: .failed(DownloadError(.io, "a\u{0}b")), description: description)
    try database.write { try $0.downloads.insert(download) }
    let stored = try #require(try database.read { try $0.download(download.id) })
    #expect(stored.description.title == "nul\u{FFFD}inside")
    #expect(stored.description.podcast == "\u{FFFD}")
    #expect(stored.state == .failed(DownloadError(.io, "a\u{FFFD}b")))
  }

  @Test("Every code of an error")
  func errorCodes() throws {
    for code in DownloadError.Code.allCases {
      try roundTrip(try Sample.download(code.rawValue, state: .failed(DownloadError(code, "m", cause: code))))
    }
  }

  @Test("Addresses are compared by their bytes, also without hashes")
  func addresses() throws {
    let composed = try WebAddress("https://a.example/\u{E9}")
    let decomposed = try WebAddress("https://a.example/e\u{301}")
    var download = try Sample.download()
    download.address = composed
    let stored = download
    try database.write { tables in
      try tables.downloads.insert(stored)
      #expect(try tables.downloads.find(composed) == stored.id)
      #expect(try tables.downloads.find(decomposed) == nil)
    }
  }

  @Test("Settings are read back, and are the defaults before the first change")
  func settings() throws {
    #expect(try database.read { try $0.settings() } == Settings())
    var settings = Settings()
    settings.userAgent = "Test/2 (\"quote\", 'another', \\ ~)"
    settings.maxConcurrent = 256
    settings.progressInterval = 0.05
    let changed = settings
    try database.write { try $0.save(changed) }
    #expect(try database.read { try $0.settings() } == changed)
  }

  @Test("A deletion is read back with its file, for any inode")
  func deletions() throws {
    let id = try #require(DownloadID("x"))
    try database.write { tables in
      for (file, fate) in [
        (nil, Deletion.Fate.deleted), (try Sample.file(), .quarantined), (try Sample.file(inode: 0), .deleted),
      ] {
        try tables.deletions.insert(Deletion(download: id, file: file, fate: fate), isReady: true)
      }
      let ready = try tables.deletions.ready(limit: 10)
      #expect(ready.map(\.fate) == [.deleted, .quarantined, .deleted])
      #expect(ready.map { $0.file?.inode } == [nil, .max, 0])
      let file = try Sample.file()
      #expect(ready.dropFirst().allSatisfy { $0.file?.path == file.path && $0.file?.length == Sample.longest })
      #expect(ready.allSatisfy { $0.download == id })
      #expect(try tables.deletions.ready(limit: 2).count == 2)
      #expect(try tables.deletions.remove(ready[0].key) == id)
      #expect(try tables.deletions.remove(ready[0].key) == nil)
    }
  }

  @Test("A verification is read back with its file, in the order of requests, and is deleted with its download")
  func verifications() throws {
    let ids = try ["a", "b", "c"].map { try #require(DownloadID($0)) }
    let ledger = database.ledger()
    try ledger.transaction { tables in
      for (number, id) in ids.enumerated() {
        let state = DownloadState.completed(try Sample.file(inode: UInt64(number)))
        try tables.downloads.insert(try Sample.download(id.description, state: state, position: Int64(number)))
      }
      try tables.downloads.insert(try Sample.download("queued", position: 9))
      let table = tables.verifications
      #expect(try table.insert(ids[1]))
      #expect(try !table.insert(ids[1]))
      #expect(try !table.insert(try #require(DownloadID("queued"))))
      #expect(try !table.insert(try #require(DownloadID("absent"))))
      #expect(try table.insertAll(meeting: .everything, at: Sample.conditionMoment) == 2)
      #expect(try table.insertAll(meeting: .everything, at: Sample.conditionMoment) == 0)
    }
    try ledger.transaction { tables in
      let table = tables.verifications
      let owed = try table.owed(limit: 10)
      #expect(owed.map(\.download) == [ids[1], ids[0], ids[2]])
      #expect(try owed.map(\.file) == [1, 0, 2].map { try Sample.file(inode: $0) })
      #expect(try table.owed(limit: 2) == Array(owed.prefix(2)))
      try tables.downloads.delete(ids[0])
      #expect(try !table.remove(owed[1].key))
      #expect(try table.remove(owed[2].key))
      #expect(try !table.remove(owed[2].key))
      _ = try tables.downloads.apply(
        .remove(deletingFiles: false), to: .everything, at: Sample.conditionMoment, sparing: [])
      #expect(try table.owed(limit: 10).isEmpty)
      // A number is not reused, even after its row is gone.
      try tables.downloads.insert(try Sample.download("a", state: .completed(try Sample.file(inode: 0))))
      #expect(try table.insertAll(meeting: .everything, at: Sample.conditionMoment) == 1)
      #expect(try table.owed(limit: 1).allSatisfy { !owed.map(\.key).contains($0.key) })
    }
  }

  @Test("Only another download's recorded file counts as claimed")
  func claims() throws {
    let file = try Sample.file()
    try database.write { tables in
      let publishing = try Sample.download("a", state: .running(.publishing(file)))
      try tables.downloads.insert(publishing)
      let other = try #require(DownloadID("b"))
      #expect(try !tables.downloads.isClaimed(file, otherThanBy: publishing.id))
      #expect(try tables.downloads.isClaimed(file, otherThanBy: other))
      #expect(try !tables.downloads.isClaimed(try Sample.file(inode: 5), otherThanBy: other))
      let elsewhere = PublishedFile(path: try LibraryPath(validating: "x"), length: 1, inode: file.inode)
      #expect(try !tables.downloads.isClaimed(elsewhere, otherThanBy: other))
    }
  }

  @Test("Pages follow the order of addition and end with no cursor; removed rows do not disturb them")
  func pages() throws {
    try database.write { tables in
      for number in 0..<25 { try tables.downloads.insert(try Sample.download("d\(number)", position: Int64(-number))) }
    }
    var names: [String] = []
    var cursor: OrderCursor?
    repeat {
      let query = DownloadsQuery(limit: 10, after: cursor)
      let page = try database.read { try $0.page(query, filters: .init(), at: Sample.conditionMoment) }
      names += page.downloads.map(\.id.description)
      cursor = page.next
      if let last = page.downloads.last { try database.write { try $0.downloads.delete(last.id) } }
    } while cursor != nil
    #expect(names == (0..<25).map { "d\($0)" })
  }

  // MARK: Updates write what has changed

  @Test("An update of any part is written, for any cached state of the row", arguments: [UInt64(1), 2, 3])
  func updates(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed, index: 0)
    let states = try Sample.states()
    let ledger = database.ledger()
    var expected = try (0..<6).map { try Sample.download("x\($0)") }
    try ledger.transaction { tables in try expected.forEach(tables.downloads.insert) }
    for _ in 0..<200 {
      var changed = expected
      let isUndone = Int.random(in: 0..<5, using: &random) == 0
      do {
        try ledger.transaction { tables in
          for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: changed.indices, using: &random)
            Self.change(&changed[index], states, using: &random)
            try tables.downloads.update(changed[index])
            #expect(try tables.downloads.find(changed[index].id) == changed[index])
          }
          if isUndone { throw Undone() }
        }
        expected = changed
      } catch is Undone {}
      let stored = try database.read { reader in try expected.map { try reader.download($0.id) } }
      #expect(stored == expected)
      let known = try ledger.transaction { tables in try expected.map { try tables.downloads.find($0.id) } }
      #expect(known == expected)
    }
  }

  private struct Undone: Error {}

  private static func change(
    _ download: inout Download, _ states: [DownloadState], using random: inout SeededGenerator
  ) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let state = states[Int.random(in: states.indices, using: &random)]
      download.dates.finished = state.kind == .completed ? Sample.moment : nil
      download.state = state
    case 1: download.rank.position += 1
    case 2: download.progress.durable += 1
    case 3: download.progress.resume = download.progress.resume == nil ? Sample.record : nil
    case 4: download.isHeld.toggle()
    default: download.description.title = download.description.title == "\u{E9}" ? "e\u{301}" : "\u{E9}"
    }
  }

  @Test("A change to a canonically equivalent text is written")
  func equivalentTexts() throws {
    var download = try Sample.download("x", description: .init(title: "\u{E9}"))
    try database.write { try $0.downloads.insert(download) }
    download.description.title = "e\u{301}"
    try database.write { try $0.downloads.update(download) }
    let stored = try database.read { try $0.download(download.id)?.description.title }
    #expect(stored.map { Array($0.utf8) } == Array("e\u{301}".utf8))
  }
}
