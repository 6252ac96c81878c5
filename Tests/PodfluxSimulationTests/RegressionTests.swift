import Flux
import Persistence
import PodfluxCore
import TestActions
import Testing

/// Bugs of the engine that the simulator has found, as direct tests: each change of the simulator changes the run of a
/// seed.
///
/// Stories about one part are with that part's tests, with their seeds.
@Suite("Bugs that the simulator found")
struct RegressionTests {
  @Test("An attempt that is cancelled while it publishes ends although its name is taken")
  func stopWhilePublishing() throws {
    // The store had told it to stop and would give it no other path; the machine ignored the stop because it was
    // publishing, requested another path, and held its slot forever.
    var machine = try Self.publishingMachine()
    #expect(machine.stop().isEmpty)
    #expect(machine.published(nil) == [.finishWriting])
    let orders = machine.written(machine.record(durable: 4, tailHash: "", savedAt: .init(milliseconds: 0)))
    guard case .end(.stopped(let kept))? = orders.first else {
      Issue.record("\(orders) instead of an end")
      return
    }
    #expect(kept?.durable == 4)
  }

  @Test("A cancelled attempt whose file is published nevertheless reports it")
  func stopAfterPublishing() throws {
    var machine = try Self.publishingMachine()
    #expect(machine.stop().isEmpty)
    guard case .end(.finished)? = machine.published(Publication()).first else {
      Issue.record("a published file is not reported")
      return
    }
  }

  /// Seed 36: a partial grew beyond the length that its server had declared. The record said more durable bytes than
  /// there were in all, and no later turn could read the row.
  @Test("A total smaller than the file is not in its record")
  func outgrownTotal() throws {
    let machine = try Self.publishingMachine()
    #expect(machine.record(durable: 4, tailHash: "", savedAt: .init(milliseconds: 0)).total == 4)
    #expect(machine.record(durable: 5, tailHash: "", savedAt: .init(milliseconds: 0)).total == nil)
  }

  /// Seed 14: an imported record came back from an attempt that had not even opened the partial. Its bytes were
  /// promised as durable, and counted as progress at every failure.
  @Test("An unchecked imported record promises nothing, and its download is not retried forever")
  func importedRecord() throws {
    let library = try Library()
    let record = ResumeRecord(
      url: "http://a.example/1", strongETag: nil, lastModified: nil, total: 100, durable: 50,
      tailHash: String(repeating: "0", count: 64), bootID: "another", savedAt: .init(milliseconds: 0))
    try library.send(.downloads(.enqueue(.init(id: library.id, address: try WebAddress(record.url), resume: record))))
    for _ in 0..<Settings().maxAttempts {
      let attempt = try #require(library.started)
      try library.send(
        .attempt(.init(attempt: attempt, news: .failed(.init(.connectFailed, "connection refused"), kept: record))))
      #expect(try library.row().progress.durable == 0)
      try library.send(.timeCame, after: 4_000_000)
    }
    #expect(try library.row().state.kind == .failed)
    #expect(try library.row().progress.resume == record)
  }

  /// A machine whose file of four bytes is about to be published.
  private static func publishingMachine() throws -> TransferMachine {
    let attempt = Attempt(
      id: AttemptID(download: try #require(DownloadID("d")), generation: 1),
      address: try WebAddress("http://a.example/1"), description: .init(), origin: .user, resume: nil,
      settings: Settings())
    var machine = TransferMachine(attempt: attempt, bootID: "boot")
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    let length = HTTPField(name: "Content-Length", value: "4")
    let head = ResponseHead(status: 200, effectiveURL: "http://a.example/1", fields: [length])
    _ = machine.received(head: head, at: .init(milliseconds: 0))
    _ = [UInt8](repeating: 1, count: 4).withUnsafeBytes { machine.received(body: $0) }
    _ = machine.exchangeFinished(failure: nil)
    let blank = machine.record(durable: 0, tailHash: "", savedAt: .init(milliseconds: 0))
    _ = machine.completed(.init(length: 4, beginning: [UInt8]("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]), blank: blank)
    _ = machine.named(try LibraryPath(validating: "taken.mp3"), inode: 1)
    _ = machine.contentsSynchronized()
    #expect(machine.proceed().count == 1)
    return machine
  }
}

/// The real stores on an empty library, with a manual clock.
private final class Library {
  let id: DownloadID
  private let database: LibraryDatabase
  private var dispatcher: Dispatcher<Stores>
  private var clock = ClockReading(wall: .init(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 0)
  /// The attempt that the last turn started.
  private(set) var started: AttemptID?

  init() throws {
    id = try #require(DownloadID("d"))
    database = try LibraryDatabase.inMemory()
    dispatcher = Dispatcher(
      state: Stores(settings: SettingsStore(settings: Settings()), downloads: DownloadsStore(counts: [:])),
      position: .origin, ledger: database.ledger(), seed: 1)
    try send(.recovered(Recovery(published: [])))
  }

  func send(_ action: Action, after milliseconds: Int64 = 0) throws {
    clock.wall = clock.wall.advanced(byMilliseconds: milliseconds)
    clock.monotonicMilliseconds += milliseconds
    for case .start(let attempt) in try dispatcher.dispatch([action], at: clock).effects { started = attempt.id }
  }

  func row() throws -> Download {
    try #require(try database.read { try $0.download(id) })
  }
}
