import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

/// Flipped bits in a rich library: half of what readers took made snapshots that the wire's schema refuses, and of what
/// they refused, one value in some was told under another name, or as a piece of SQL.
@Suite("What no line may show is damage, and is named by its table and column")
struct ShownDamageTests {
  /// The column of the damaged row that the body throws, or else what it throws.
  private func fault(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DamagedRow)?.column ?? "\(error)"
    }
  }

  static let downloads: [(state: String, change: String, column: String)] = [
    ("waiting", "error_status = 42", "error_status"), ("failed", "error_status = 1000", "error_status"),
    ("completed", "sha256 = '/etc/passwd'", "sha256"), ("completed", "sha256 = upper(sha256)", "sha256"),
    ("completed", "sha256 = sha256 || '0'", "sha256"), ("completed", "finished_at = NULL", "finished_at"),
    ("completed", "original_length = 5, original_sha256 = 'x'", "original_sha256"),
    ("completed", "path = '../x'", "path"), ("completed", "file_length = NULL", "file_length"),
    ("completed", "inode = NULL", "inode"), ("completed", "path = NULL", "path"),
  ]

  @Test("A download", arguments: downloads)
  func download(state: String, change: String, column: String) throws {
    let database = try LibraryDatabase.inMemory()
    let kept = try #require(try Sample.states().first { $0.kind.rawValue == state })
    try database.write { try $0.downloads.insert(try Sample.download(state: kept)) }
    try database.damage("UPDATE downloads SET \(change)")
    #expect(fault { _ = try database.read { try $0.downloads(limit: 100) } } == column)
  }

  static let sessions: [(change: String, column: String)] = [
    ("hosts = '[]'", "sessions.hosts"), ("error_status = -1 WHERE error_code IS NOT NULL", "sessions.error_status"),
    ("failures = -1", "sessions.failures"), ("since = 9223372036854775807", "sessions.since"),
  ]

  @Test("A session", arguments: sessions)
  func session(change: String, column: String) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in for session in try Sample.sessions() { try tables.sessions.save(session) } }
    try database.damage("UPDATE sessions SET \(change)")
    #expect(fault { _ = try database.read { try $0.sessions() } } == column)
  }

  static let sidecars: [(change: String, column: String)] = [
    ("path = '../x'", "sidecars.path"), ("target = '/etc/passwd'", "sidecars.target"),
    ("file_length = NULL", "sidecars.file_length"), ("file_length = -1", "sidecars.file_length"),
    ("failures = -1", "sidecars.failures"), ("state = 'mood'", "sidecars.state"),
  ]

  @Test("A sidecar", arguments: sidecars)
  func sidecar(change: String, column: String) throws {
    let database = try LibraryDatabase.inMemory()
    let moving = Sidecar.State.moving(try Sample.file(inode: 1), to: try LibraryPath(validating: "Süß.json"))
    try database.write { tables in
      try tables.sidecars.insert(
        Sidecar(kind: .info, owner: DownloadID("x"), address: nil, stem: "Süß", state: moving))
    }
    try database.damage("UPDATE sidecars SET \(change)")
    #expect(fault { _ = try database.read { try $0.sidecars(limit: 100) } } == column)
  }

  @Test("Filters that are saved without a name")
  func filters() throws {
    let json = #"{"selection":{"active":[],"text":""},"saved":[{"name":"","selection":{"active":[],"text":""}}]}"#
    for table in ["filters", "episode_filters"] {
      let database = try LibraryDatabase.inMemory()
      try database.damage("INSERT INTO \(table) VALUES (1, '\(json)')")
      #expect(fault { _ = try database.read { try $0.filters() } } == "\(table).json")
    }
  }

  // MARK: Podcasts

  /// A library with a feed and an episode.
  private func podcast() throws -> (database: LibraryDatabase, feed: Feed.Key, episode: EpisodeID) {
    let database = try LibraryDatabase.inMemory()
    return try database.write { tables in
      let feed = try tables.feeds.insert(
        try #require(FeedID("f")), at: try WebAddress("https://a.example/f"), wishes: .init(rules: try Sample.rules()),
        session: nil, next: Sample.moment, added: Sample.moment)
      let content = EpisodeContent(
        guid: "g", title: "Ёжик", published: PublicationDate(Sample.moment),
        enclosure: .init(address: try WebAddress("https://a.example/1.mp3")),
        alternates: [.init(addresses: [try WebAddress("https://b.example/1.mp3")])])
      let episode = try #require(try tables.episodes.insert([content], of: feed, added: Sample.moment).first)
      try tables.rules.write(.downloaded(.isAmong(rank: 1, limit: 2, order: .newest)), of: episode)
      return (database, feed, episode)
    }
  }

  static let feeds: [(change: String, column: String)] = [
    ("error_code = 'http_status', error_message = '', error_status = 7", "feeds.error_status"),
    ("rules_at = -9223372036854775807", "feeds.rules_at"), ("failures = -1", "feeds.failures"),
  ]

  @Test("A feed", arguments: feeds)
  func feed(change: String, column: String) throws {
    let (database, _, _) = try podcast()
    try database.damage("UPDATE feeds SET \(change)")
    #expect(fault { _ = try database.read { try $0.feeds(.init(), refreshing: []) } } == column)
  }

  static let conditions = [
    #"{"newerThanDays":{"_0":-1}}"#,
    #"{"any":{"_0":[\#(Array(repeating: #"{"played":{"_0":true}}"#, count: 256).joined(separator: ","))]}}"#,
    (0..<9).reduce(#"{"played":{"_0":true}}"#) { inner, _ in #"{"not":{"_0":\#(inner)}}"# },
  ]

  @Test("A rule's condition", arguments: conditions)
  func condition(json: String) throws {
    let (database, _, _) = try podcast()
    try database.damage("UPDATE feeds SET rules = json_set(rules, '$.autoDownload.condition', json('\(json)'))")
    #expect(fault { _ = try database.read { try $0.feeds(.init(), refreshing: []) } } == "feeds.rules")
  }

  static let episodes: [(change: String, column: String)] = [
    ("alternates = json_set(alternates, '$[0].length', -1)", "episodes.alternates"),
    ("alternates = json_set(alternates, '$[0].urls', json('[]'))", "episodes.alternates"),
    (
      "alternates = json_set(alternates, '$[0].urls', json_array('http://a','http://a','http://a','http://a','http://a'))",
      "episodes.alternates"
    ),
    ("ruling = json_set(ruling, '$.downloaded._0.isAmong.limit', -1)", "episodes.ruling"),
    ("ruling = json_set(ruling, '$.downloaded._0.isAmong.rank', -1)", "episodes.ruling"),
    ("key = \(EpisodeID.numbers.upperBound + 1)", "episodes.key"), ("feed = 99", "feeds.id"),
    ("published = 9223372036854775807", "episodes.published"),
  ]

  @Test("An episode", arguments: episodes)
  func episode(change: String, column: String) throws {
    let (database, _, _) = try podcast()
    try database.damage("UPDATE episodes SET \(change)")
    let query = EpisodesQuery(order: .init(.added))
    #expect(fault { _ = try database.read { try $0.episodes(query, at: Sample.conditionMoment) } } == column)
  }

  @Test("A value of an expression is named by the columns that it reads")
  func expressions() throws {
    let (database, _, episode) = try podcast()
    try database.damage("UPDATE episodes SET published = 9223372036854775807")
    let download = try #require(DownloadID("x"))
    let found = fault { try database.write { try $0.episodes.setDownload(download, of: episode) } }
    #expect(found == "episodes.published or added_at")
  }
}
