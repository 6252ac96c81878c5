import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("Fetches of sidecars")
struct SidecarAttemptTests {
  private let files = MemoryFiles()
  private let now = ClockReading(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 1)

  private func fetch(
    _ kind: SidecarKind = .chapters, _ source: SidecarFetch.Source? = nil, stem: String = "Show/a.chapters"
  ) throws -> SidecarFetch {
    SidecarFetch(
      id: .init(sidecar: 3, generation: 4), kind: kind,
      source: try source ?? .address(WebAddress("https://side.example/chapters")), stem: stem,
      settings: Settings(), route: .any, reach: .publicOnly)
  }

  private func head(_ status: Int, _ fields: [(String, String)] = []) -> ResponseHead {
    ResponseHead(
      status: status, effectiveURL: "https://side.example/", fields: fields.map { HTTPField(name: $0.0, value: $0.1) })
  }

  private let success = SidecarEvent.exchangeEnded(
    .success(ExchangeSummary(bytesReceived: 2, contentLength: nil, isDelimited: true)))

  /// What the last command reports.
  private func news(_ commands: [SidecarCommand]) -> SidecarReport.News? {
    switch commands.last {
    case .report(let report), .end(let report): report.news
    default: nil
    }
  }

  private func error(_ commands: [SidecarCommand]) -> DownloadError.Code? {
    if case .failed(let error, _)? = news(commands) { error.code } else { nil }
  }

  @Test("A file gets its name only after the row knows it; it may come through a proxy", arguments: [200, 203])
  func order(status: Int) throws {
    var attempt = SidecarAttempt(try fetch(), files: files)
    guard case .startExchange(let request)? = attempt.handle(.begin, at: now).first else {
      throw Refusal(.invalidValue, "no exchange begins")
    }
    #expect(request.url == "https://side.example/chapters" && request.headers.isEmpty)
    #expect(request.slowBytesPerSecond == HTTPRequest.leastBytesPerSecond)
    #expect(attempt.handle(.head(head(status)), at: now).isEmpty)
    for piece in ["{\"a\"", ":1}"] { #expect(attempt.handle(.body(Array(piece.utf8)), at: now).isEmpty) }
    guard case .publishing(let file)? = news(attempt.handle(success, at: now)) else {
      throw Refusal(.invalidValue, "nothing is announced")
    }
    #expect(file.path.description == "Show/a.chapters.json" && file.length == 7)
    #expect(files.items.isEmpty)
    #expect(news(attempt.handle(.proceed, at: now)) == .finished(file))
    #expect(files.items.keys.sorted() == ["Show/a.chapters.json"])
    #expect(attempt.hasEnded)
  }

  @Test("What an attempt has fetched for its tags is not asked for again")
  func gathered() throws {
    var attempt = SidecarAttempt(try fetch(), gathered: Array("{\"a\":1}".utf8), files: files)
    guard case .publishing(let file)? = news(attempt.handle(.begin, at: now)) else {
      throw Refusal(.invalidValue, "nothing is announced")
    }
    #expect(news(attempt.handle(.proceed, at: now)) == .finished(file))
    #expect(files.items.keys.sorted() == ["Show/a.chapters.json"] && attempt.hasEnded)
  }

  @Test("What lies at the place stays, whichever picture a cover would be", arguments: ["cover.jpeg", "Cover.png"])
  func taken(_ name: String) throws {
    files.items["Show/\(name)"] = .file(bytes: [1], inode: 1, modified: 1)
    var attempt = SidecarAttempt(try fetch(.cover, stem: "Show/cover"), files: files)
    _ = attempt.handle(.begin, at: now)
    _ = attempt.handle(.head(head(200)), at: now)
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 32)
    _ = attempt.handle(.body(png), at: now)
    #expect(error(attempt.handle(success, at: now)) == .fileExists)
    #expect(files.staged.isEmpty)
  }

  @Test("A file that takes the place at the last moment stays too")
  func takenLate() throws {
    var attempt = SidecarAttempt(try fetch(.info, .text("{}"), stem: "a.info"), files: files)
    #expect(news(attempt.handle(.begin, at: now)) != nil)
    files.items["a.info.json"] = .file(bytes: [1], inode: 1, modified: 1)
    #expect(error(attempt.handle(.proceed, at: now)) == .fileExists)
    #expect(files.staged.isEmpty)
  }

  @Test("Whether a file has its name is looked up; one that was changed since is another")
  func earlier() throws {
    let file = PublishedFile(
      path: try LibraryPath(validating: "a.info.json"), length: 2, inode: 9, modifiedNanoseconds: 1)
    files.items["a.info.json"] = .file(bytes: Array("{}".utf8), inode: 9, modified: 1)
    var attempt = SidecarAttempt(try fetch(.info, .earlier(file), stem: "a.info"), files: files)
    #expect(news(attempt.handle(.begin, at: now)) == .finished(file))
    files.items["a.info.json"] = .file(bytes: Array("{}".utf8), inode: 9, modified: 2)
    var another = SidecarAttempt(try fetch(.info, .earlier(file), stem: "a.info"), files: files)
    #expect(news(another.handle(.begin, at: now)) == .unpublished && another.hasEnded)
  }

  @Test("Where it cannot be looked up whether a file has its name, that is a failure")
  func unknown() throws {
    let file = PublishedFile(
      path: try LibraryPath(validating: "a.info.json"), length: 2, inode: 9, modifiedNanoseconds: 1)
    files.items["a.info.json"] = .unreadable
    var attempt = SidecarAttempt(try fetch(.info, .earlier(file), stem: "a.info"), files: files)
    #expect(error(attempt.handle(.begin, at: now)) == .io)
    #expect(attempt.hasEnded && files.staged.isEmpty)
  }

  @Test("Any other answer than the file fails, with the delay that the server asks for")
  func answers() throws {
    for (status, code) in [(404, DownloadError.Code.notFound), (503, .httpStatus), (206, .rangeMismatch)] {
      var attempt = SidecarAttempt(try fetch(), files: files)
      _ = attempt.handle(.begin, at: now)
      _ = attempt.handle(.head(head(status, [("Retry-After", "7")])), at: now)
      let commands = attempt.handle(.exchangeEnded(.failure(.cancelled)), at: now)
      #expect(error(commands) == code)
      if case .failed(_, let delay)? = news(commands) { #expect(delay == 7_000) }
    }
    for bytes in [Array("<html></html>".utf8), Array("{\"a\":".utf8)] {
      var attempt = SidecarAttempt(try fetch(), files: files)
      _ = attempt.handle(.begin, at: now)
      _ = attempt.handle(.head(head(200)), at: now)
      _ = attempt.handle(.body(bytes), at: now)
      #expect(error(attempt.handle(success, at: now)) == .notMedia)
    }
  }

  @Test("A body that is too long ends the exchange, by its head or by its bytes")
  func tooLong() throws {
    let limit = SidecarLimits.textBytes
    var attempt = SidecarAttempt(try fetch(), files: files)
    _ = attempt.handle(.begin, at: now)
    guard case .cancelExchange? = attempt.handle(.head(head(200, [("Content-Length", "\(limit + 1)")])), at: now).last
    else { throw Refusal(.invalidValue, "the exchange goes on") }
    #expect(error(attempt.handle(.exchangeEnded(.failure(.cancelled)), at: now)) == .tooLarge)
    var another = SidecarAttempt(try fetch(), files: files)
    _ = another.handle(.begin, at: now)
    _ = another.handle(.head(head(200)), at: now)
    #expect(another.handle(.body([UInt8](repeating: 32, count: limit)), at: now).isEmpty)
    guard case .cancelExchange? = another.handle(.body([32]), at: now).last else {
      throw Refusal(.invalidValue, "the exchange goes on")
    }
    #expect(error(another.handle(success, at: now)) == .tooLarge)
  }

  @Test("A stop ends a fetch wherever it is, and leaves nothing")
  func stops() throws {
    var idle = SidecarAttempt(try fetch(), files: files)
    #expect(idle.handle(.stop, at: now).isEmpty)
    #expect(news(idle.handle(.begin, at: now)) == .stopped)
    var receiving = SidecarAttempt(try fetch(), files: files)
    _ = receiving.handle(.begin, at: now)
    guard case .cancelExchange? = receiving.handle(.stop, at: now).last else {
      throw Refusal(.invalidValue, "the exchange goes on")
    }
    #expect(news(receiving.handle(.exchangeEnded(.failure(.cancelled)), at: now)) == .stopped)
    var announced = SidecarAttempt(try fetch(.info, .text("{}"), stem: "a.info"), files: files)
    _ = announced.handle(.begin, at: now)
    #expect(news(announced.handle(.stop, at: now)) == .stopped)
    #expect(announced.handle(.proceed, at: now).isEmpty)
    #expect(files.staged.isEmpty && files.items.isEmpty)
  }

  // MARK: Errands

  private func present(_ name: String, inode: UInt64, modified: Int64 = 1) throws -> PublishedFile {
    files.items[name] = .file(bytes: [1, 2], inode: inode, modified: modified)
    return PublishedFile(
      path: try LibraryPath(validating: name), length: 2, inode: inode, modifiedNanoseconds: 1)
  }

  @Test("A file is deleted where it lies or was being moved, but not if it was changed")
  func deletes() throws {
    let file = try present("a.json", inode: 1)
    #expect(files.carryOut(.delete(SidecarDeletion(sidecar: 1, file: file))) == .deleted(1))
    #expect(files.carryOut(.delete(SidecarDeletion(sidecar: 1, file: file))) == .deleted(1))
    var moved = file
    moved.path = try LibraryPath(validating: "b.json")
    _ = try present("b.json", inode: 1)
    #expect(files.carryOut(.delete(SidecarDeletion(sidecar: 1, file: file, other: moved.path))) == .deleted(1))
    #expect(files.items.isEmpty)
    files.items["a.json"] = .behindLink
    #expect(files.carryOut(.delete(SidecarDeletion(sidecar: 1, file: file))) == .notDeleted(1))
    let changed = try present("a.json", inode: 1, modified: 2)
    #expect(files.carryOut(.delete(SidecarDeletion(sidecar: 1, file: changed))) == .deleted(1))
    #expect(files.items.keys.sorted() == ["a.json"])
  }

  @Test("Files that are gone or changed are told, but not those of a disk that is away")
  func looks() throws {
    let subjects = [
      SidecarLook.Subject(sidecar: 1, file: try present("a.json", inode: 1)),
      SidecarLook.Subject(sidecar: 2, file: try present("b.json", inode: 2, modified: 7)),
      SidecarLook.Subject(
        sidecar: 3, file: PublishedFile(path: try LibraryPath(validating: "c.json"), length: 2, inode: 3)),
      SidecarLook.Subject(
        sidecar: 4, file: PublishedFile(path: try LibraryPath(validating: "gone/d.json"), length: 2, inode: 4)),
    ]
    let look = SidecarOrder.look(SidecarLook(round: 5, subjects: subjects))
    #expect(files.carryOut(look) == .looked(round: 5, changed: [2, 3]))
    files.isMounted = false
    #expect(files.carryOut(look) == .looked(round: 5, changed: []))
  }
}
