import Flux
import Persistence
import PodfluxCore
import PodfluxSimulation
import Testing

/// Bugs of the engine that the simulator has found, each with its seed and story.
@Suite("Bugs that the simulator found")
struct RegressionTests {
  /// A seed that once violated an invariant.
  struct Find: CustomTestStringConvertible {
    var seed: UInt64
    /// The length of the run; by default that of the options.
    var turns: Int?
    var story: String

    var testDescription: String { "seed \(seed): \(story)" }
  }

  static let finds = [
    Find(
      seed: 11,
      story: "the commit of a fact failed, and so did the next one, of requests only: the fact was forgotten, and its "
        + "attempt kept its slot until the next start"),
    Find(
      seed: 14,
      story:
        "an imported record came back from an attempt that had not even opened the partial: its bytes were promised "
        + "as durable, and counted as progress at every failure"),
    Find(
      seed: 36,
      story: "a partial grew beyond the length that its server had declared: the record said more durable bytes than "
        + "there were in all, and no later turn could read the row"),
    Find(
      seed: 7,
      story:
        "a server sent the whole file again: checkpoints were counted from the old length, so none was made before "
        + "the new version had outgrown it"),
    Find(
      seed: 26,
      story:
        "the process died between a rename and the sync of its folder; the next one called the download completed, "
        + "the power failed, and file and partial were gone"),
    Find(
      seed: 236,
      story:
        "a file without a known length became shorter than what was kept of it: every response ended before it had "
        + "repeated the kept bytes, and the download was tried in vain until its attempts were exhausted"),
    Find(
      seed: 277,
      story: "a sync failed, the commit of that failed too, and the process died: the next one believed the partial's "
        + "length, synced it without complaint and promised bytes that the device had never got"),
    Find(
      seed: 969,
      story: "the same, and the file was complete: it was published, and a power cut could have taken its contents"),
    Find(
      seed: 207944, turns: 400,
      story: "one batch added a download, paused all, and added another for the same host: the lane of that host "
        + "stayed empty, since the first one had been remembered as its head, and the second one never ran"),
    Find(
      seed: 210858, turns: 400,
      story: "the commit of a start's first turn failed, and a pause of all came before it was tried again: rows "
        + "that a killed engine had left running were passed over, and ran afterwards"),
    Find(
      seed: 311924, turns: 300,
      story: "an alarm rang before a start was recovered from, and what it changed was counted in memory only"),
    Find(
      seed: 301634, turns: 300,
      story: "a deletion was carried out and could not be recorded; later another download of the same file got the "
        + "same name, and by chance the deleted file's inode: the next start carried the deletion out on it"),
    Find(
      seed: 219701, turns: 400,
      story: "the same with a removal of all: the client was told that they were gone, and they came back"),
    Find(
      seed: 230, turns: 750,
      story: "a program edited a file between a deep cleanup's listing and its reading: the new content was judged by "
        + "the old time, taken for damage, put aside and fetched again"),
    Find(
      seed: 882, turns: 1_400,
      story: "a cleanup could not read what was perhaps a download's file, and put aside what lay in that one's place; "
        + "meanwhile that was read again, and the row followed what was just being put aside"),
  ]

  @Test("A seed that once violated an invariant violates none", arguments: finds)
  func seed(find: Find) throws {
    let turns = find.turns ?? SimulationOptions(seed: find.seed).turns
    let run = try Child(Child.simulator, ["run", "--seed", "\(find.seed)", "--turns", "\(turns)"])
    #expect(run.status == 0, "\(run.output)")
  }

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

  @Test("A total smaller than the file is not in its record")
  func outgrownTotal() throws {
    let machine = try Self.publishingMachine()
    #expect(machine.record(durable: 4, tailHash: "", savedAt: .init(milliseconds: 0)).total == 4)
    #expect(machine.record(durable: 5, tailHash: "", savedAt: .init(milliseconds: 0)).total == nil)
  }

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
