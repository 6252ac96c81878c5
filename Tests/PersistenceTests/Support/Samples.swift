import Flux
import Foundation
import GRDB
import TestActions
import Testing

@testable import Persistence
@testable import PodfluxCore

/// Sample values for the tables' tests.
enum Sample {
  /// One in each state.
  static func sessions() throws -> [Session] {
    let states: [SessionState] = [
      .created(isCached: false), .created(isCached: true),
      .opening(.init(isRenewal: true, takesKept: false, failures: 2, next: moment)),
      .opening(.init(isRenewal: false, takesKept: true)), .open, .extended, .closed,
      .loginFailed(DownloadError(.unauthorized, "no", status: 400)), .open,
    ]
    return try states.enumerated().map { number, state in
      let kind = number == 0 ? Session.Kind.basic : number == 8 ? .parameter : .refreshing
      let wish = Session.Wish(
        hosts: ["a.example", "[::1]:8080"], kind: kind, user: "Süß",
        tokenURL: kind == .refreshing ? try WebAddress("https://login.example/token") : nil,
        parameter: kind == .parameter ? "auth" : nil,
        secret: state == .closed ? nil : SecretReference(String(repeating: "0f", count: 16)))
      return Session(
        key: number == 8 ? Session.Key(Session.Limits.sessions) : Session.Key(number + 1),
        id: try #require(SessionID("s\(number)")), wish: wish, state: state, since: moment,
        expires: state == .open ? moment : nil, token: Int64(number))
    }
  }

  static let moment = Timestamp(milliseconds: 1_800_000_000_123)

  static let conditionMoment = ConditionMoment(now: moment)

  /// The longest file that there can be.
  static let longest: Int64 = 1 << 53

  static func file(inode: UInt64 = .max) throws -> PublishedFile {
    PublishedFile(
      path: try LibraryPath(validating: "Süß/ep 1.mp3"), length: longest, inode: inode,
      sha256: String(repeating: "0f", count: 32))
  }

  static let network = NetworkState(
    path: NetworkPath(status: .online, interface: .cellular, isMetered: true, isConstrained: true, device: "wwan0"),
    source: .reported, usage: CellularUsage(month: 24_323, bytes: .max),
    localTime: LocalTime(
      seconds: -86_400, changes: [LocalTime.Offset(from: moment, seconds: 86_400)],
      knownUntil: Timestamp(milliseconds: .max)))

  static let record = ResumeRecord(
    url: "https://a.example/?q=\u{1F600}", strongETag: "\"v/1\"", lastModified: "Sat, 21 Nov 2026 03:00:00 GMT",
    total: longest, durable: 65_536, tailHash: String(repeating: "f", count: 64), bootID: "boot", savedAt: moment,
    digestStates: ["state"])

  static let integrity = Integrity("sha256-" + String(repeating: "A", count: 43) + "=")

  static let error = DownloadError(
    .httpStatus, "it's \"busy\"; DROP TABLE downloads; --", status: 503, cause: .timeout,
    shortBytes: longest)

  /// One of each state, and of each stored phase.
  static func states() throws -> [DownloadState] {
    [
      .queued, .paused, .waiting(.retry(at: moment, after: error)), .waiting(.storage(until: moment, after: error)),
      .running(.connecting), .running(.receiving),
      .running(.verifying), .running(.publishing(try file())), .completed(try file(inode: 1)), .failed(error),
      .failed(DownloadError(.gone, "")),
    ]
  }

  static func formerFile(_ cause: FormerFile.Cause, of name: String = "x") throws -> FormerFile {
    FormerFile(
      download: try #require(DownloadID(name)), address: try WebAddress("https://a.example/\(name)"), file: try file(),
      cause: cause)
  }

  static func download(
    _ name: String = "x", host: String = "a.example", state: DownloadState = .queued, position: Int64 = 0,
    description: Download.Description = .init()
  ) throws -> Download {
    Download(
      id: try #require(DownloadID(name)), address: try WebAddress("https://\(host)/\(name)"), description: description,
      rank: .init(priority: .normal, position: position), origin: .user, state: state, progress: .init(), failures: 0,
      dates: .init(added: moment, finished: state.kind == .completed ? moment : nil), isHeld: false)
  }
}

extension FilterTable {
  /// Sets the calendar to a UTC day.
  func turn(to day: Int64) throws { try turn(to: LocalDay(day)) }
}

extension Traits {
  /// The traits on a UTC day.
  init(of download: Download, on day: Int64) { self.init(of: download, on: LocalDay(day)) }
}

extension LibraryDatabase {
  /// Runs one transaction with the stores' tables.
  @discardableResult
  func write<Value>(_ body: (any Tables) throws -> Value) throws -> Value {
    try ledger().transaction(body)
  }

  /// Runs SQL on the connection behind the ledger.
  @discardableResult
  func withConnection<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try ledger().transaction { tables in
      try body(try #require(tables as? SQLTables).db)
    }
  }
}

/// A temporary folder; deinit deletes it.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("podflux-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  var databasePath: String { url.appendingPathComponent("podflux.sqlite").path }

  /// The name and the contents of every file in the folder.
  func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
    return try names.reduce(into: [:]) { files, name in
      files[name] = try Data(contentsOf: url.appendingPathComponent(name))
    }
  }
}
