import Flux
import Foundation
import Persistence
import PodfluxCore
import TestActions
import TestSupport

/// The real stores on a real database in memory, with random actions: clients' intents, and facts that the live
/// attempts could report. A seed determines a run.
struct RandomLife {
  let database: LibraryDatabase
  private(set) var dispatcher: Dispatcher<Stores>
  private var random: SeededRandom
  private var milliseconds: Int64 = 1_700_000_000_000
  private var lastDownload = 0

  init(seed: UInt64) throws {
    let database = try LibraryDatabase.inMemory()
    self.database = database
    random = SeededRandom(seed: seed)
    dispatcher = try database.read { tables in
      Dispatcher(
        state: try tables.stores(), position: try tables.position(), ledger: database.ledger(), seed: seed)
    }
    try turn([.recovered(Recovery(published: []))])
  }

  var now: Timestamp { Timestamp(milliseconds: milliseconds) }

  /// A batch of random actions. Attempts' facts come first, since they depend on the attempts' phases.
  mutating func turn() throws {
    try turn((report().map { [$0] } ?? []) + (0..<number(in: 1...3)).map { _ in intent() })
  }

  private mutating func turn(_ actions: [Action]) throws {
    milliseconds += .random(in: 0...30_000, using: &random)
    _ = try dispatcher.dispatch(actions, at: ClockReading(wall: now, monotonicMilliseconds: milliseconds))
  }

  /// Draws a number.
  mutating func number(in range: ClosedRange<Int>) -> Int {
    .random(in: range, using: &random)
  }

  // MARK: Actions

  private mutating func report() -> Action? {
    let live = dispatcher.state.downloads.live.sorted { $0.key < $1.key }
    guard let (id, attempt) = live.randomElement(using: &random) else { return nil }
    return .attempt(
      AttemptReport(attempt: AttemptID(download: id, generation: attempt.generation), news: news(of: attempt, id)))
  }

  private mutating func intent() -> Action {
    switch number(in: 0...15) {
    case 0...5: .downloads(.enqueue(wish()))
    case 6: .downloads(.pause(selection()))
    case 7: .downloads(.resume(selection()))
    case 8: .downloads(.retry(selection()))
    case 9: .downloads(.cancel(selection()))
    case 10: .downloads(.remove(selection(), deletingFile: Bool.random(using: &random)))
    case 11: .downloads(.move(id(), Bool.random(using: &random) ? .top : .before(id())))
    case 12: .downloads(.update(id(), update()))
    case 13: .timeCame
    case 14: .updateSettings(patch())
    default: .filters(filterIntent(), over: number(in: 0...2) == 0 ? .episodes : .downloads)
    }
  }

  private mutating func wish() -> DownloadIntent.Enqueue {
    lastDownload += 1
    let description = Download.Description(
      podcast: ["Show", "Another", nil].randomElement(using: &random) ?? nil,
      title: ["Ein Tag", "zwei \"Tage\"", "drei, {vier}", nil].randomElement(using: &random) ?? nil,
      published: Bool.random(using: &random) ? PublicationDate(now, offsetSeconds: 19_800) : nil,
      expectedLength: Bool.random(using: &random) ? Int64(number(in: 0...1000)) << 20 : nil)
    return DownloadIntent.Enqueue(
      id: DownloadID("d\(lastDownload)"), address: address(), description: description,
      priority: Priority.allCases.randomElement(using: &random) ?? .normal,
      origin: Bool.random(using: &random) ? .user : .auto, isPaused: number(in: 0...4) == 0)
  }

  private mutating func address() -> WebAddress {
    let text =
      "http://host\(number(in: 1...3)).example/\(number(in: 1...1000)).\(["mp3", "mp4", "pdf"][number(in: 0...2)])"
    guard let address = try? WebAddress(text) else { preconditionFailure("\(text) is an address") }
    return address
  }

  private mutating func id() -> DownloadID {
    guard let id = DownloadID("d\(number(in: 1...max(1, lastDownload)))") else { preconditionFailure("it is an id") }
    return id
  }

  private mutating func selection() -> DownloadIntent.Selection {
    switch number(in: 0...9) {
    case 0: .all
    case 1...3: .many([id(), id(), id()])
    default: .one(id())
    }
  }

  private mutating func update() -> DownloadIntent.Update {
    var update = DownloadIntent.Update()
    update.title = Bool.random(using: &random) ? "Neu \(number(in: 1...9))" : nil
    update.address = number(in: 0...3) == 0 ? address() : nil
    update.priority = number(in: 0...3) == 0 ? .high : nil
    return update
  }

  private mutating func patch() -> SettingsPatch {
    var patch = SettingsPatch()
    patch.maxConcurrent = number(in: 1...6)
    patch.checksum = Bool.random(using: &random)
    return patch
  }

  private mutating func filterIntent() -> FilterIntent {
    let names = ["state:failed", "state:completed", "podcast:Show", "media:audio", "size:small", "time:today"]
    return switch number(in: 0...5) {
    case 0...2: FilterID(names.randomElement(using: &random) ?? "state:queued").map(FilterIntent.toggle) ?? .clear
    case 3: .setText(["", "tag", "neu"].randomElement(using: &random) ?? "")
    case 4: .selectGroup([.state, .podcast, .media, .time, .size].randomElement(using: &random))
    default: .clear
    }
  }

  // MARK: What attempts tell

  private mutating func news(of attempt: LiveAttempt, _ id: DownloadID) -> AttemptReport.News {
    let received = attempt.received + Int64(number(in: 0...5_000_000))
    if attempt.isStopping { return .stopped(kept: record(received)) }
    if case .publishing(let file) = attempt.phase { return .finished(file) }
    return switch number(in: 0...9) {
    case 0...3: .reading(received: received, phase: .receiving)
    case 4...5: .checkpoint(record(received))
    case 6: .restarting(discarding: attempt.received, because: .contentChanged)
    case 7...8: .publishing(file(of: id, length: max(1, received)), kept: record(received))
    default:
      .failed(
        DownloadError(Bool.random(using: &random) ? .timeout : .notFound, "it failed"), kept: record(received),
        retryAfterMilliseconds: number(in: 0...4) == 0 ? 5000 : nil)
    }
  }

  private mutating func file(of id: DownloadID, length: Int64) -> PublishedFile {
    guard let path = try? LibraryPath(validating: "Show/\(id).mp3") else { preconditionFailure("it is a path") }
    return PublishedFile(path: path, length: length, inode: UInt64(number(in: 1...1_000_000)))
  }

  private func record(_ durable: Int64) -> ResumeRecord {
    ResumeRecord(
      url: "http://host1.example/", strongETag: "\"v1\"", lastModified: nil, total: durable + 1_000_000,
      durable: durable, tailHash: String(repeating: "0", count: 64), bootID: "boot", savedAt: now)
  }
}
