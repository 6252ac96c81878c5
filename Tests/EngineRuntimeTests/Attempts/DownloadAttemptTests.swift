import Digests
import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("An attempt without threads")
struct DownloadAttemptTests {
  private static let body = Array("ID3".utf8) + (0..<29_997).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// An attempt whose body has begun to come.
  private func receiving(
    files: FakeFiles = FakeFiles(), fastPieceBlocks: Int = 100, configure: (inout Attempt) -> Void = { _ in }
  ) throws -> AttemptUnderTest {
    let attempt = try AttemptUnderTest(files: files, fastPieceBlocks: fastPieceBlocks, configure: configure)
    attempt.hand { $0.begin() }
    attempt.run()
    try #require(attempt.requests.count == 1)
    try #require(attempt.head(length: Self.body.count) == .proceed)
    return attempt
  }

  /// An attempt whose first 1,000 bytes are written, and whose sync runs beside the writing that goes on.
  private func synchronizing() throws -> AttemptUnderTest {
    let attempt = try receiving(fastPieceBlocks: 1)
    attempt.milliseconds = WritePolicy.checkpointMilliseconds
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run()
    try #require(attempt.isSynchronizing)
    return attempt
  }

  private func publishing(_ attempt: AttemptUnderTest) throws -> PublishedFile {
    guard case .publishing(let file, _, _)? = attempt.news.last else {
      Issue.record("\(attempt.news)")
      throw AttemptUnderTest.Unmakable()
    }
    return file
  }

  private func kept(
    of attempt: AttemptUnderTest
  ) -> (code: DownloadError.Code?, short: Int64?, kept: ResumeRecord?)? {
    switch attempt.news.last {
    case .failed(let error, let kept, _): (error.code, error.shortBytes, kept)
    case .stopped(let kept): (nil, nil, kept)
    default: nil
    }
  }

  // MARK: The way to the file

  @Test("comes to a file: opened, asked for, written, synced while the row learns the name, published")
  func life() throws {
    let attempt = try receiving()
    for start in stride(from: 0, to: Self.body.count, by: 700) {
      #expect(attempt.receive(Array(Self.body[start..<min(start + 700, Self.body.count)])) == .more)
      attempt.run()
    }
    attempt.finishExchange()
    attempt.run()
    let file = try publishing(attempt)
    #expect(
      attempt.reports.last { $0.news.isReading }?.news
        == .reading(received: Int64(Self.body.count), phase: .verifying))
    #expect(attempt.files.bytes == Self.body && attempt.files.durable == Self.body.count)
    #expect(attempt.files.published.isEmpty)
    attempt.hand { $0.proceed() }
    // Said twice it is done once.
    attempt.hand { $0.proceed() }
    attempt.run()
    #expect(attempt.files.published == [file])
    #expect(attempt.news.last == .finished(file))
    #expect(attempt.hasEnded && !attempt.files.isOpen && attempt.jobs == 0)
  }

  @Test("lets the exchange wait while there is no room in memory, and read on when a write has ended")
  func pause() throws {
    let attempt = try receiving()
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run(through: AttemptUnderTest.isAppend)
    #expect(attempt.receive(Array(Self.body[1000..<1900])) == .more)
    #expect(attempt.receive(Array(Self.body[1900..<2900])) == .pause)
    #expect(attempt.resumptions == 0)
    attempt.run()
    #expect(attempt.resumptions == 1)
    #expect(attempt.files.bytes == Array(Self.body[..<1900]))
    #expect(attempt.receive(Array(Self.body[1900..<2900])) == .more)
  }

  @Test("whose name is taken asks for another, and tells the row so first")
  func takenName() throws {
    let attempt = try receiving()
    attempt.files.takenNames = 1
    #expect(attempt.receive(Self.body) == .more)
    attempt.run()
    attempt.finishExchange()
    attempt.run()
    attempt.hand { $0.proceed() }
    attempt.run()
    #expect(try publishing(attempt).path.description == "file-2.mp3")
    #expect(attempt.files.published.isEmpty)
    attempt.hand { $0.proceed() }
    attempt.run()
    #expect(attempt.files.published.map(\.path.description) == ["file-2.mp3"])
  }

  // MARK: Stops

  @Test("that is stopped while a write is in flight keeps what that has written, and what waits behind it")
  func stopInMidWrite() throws {
    let attempt = try receiving()
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run(through: AttemptUnderTest.isAppend)
    #expect(attempt.receive(Array(Self.body[1000..<1500])) == .more)
    attempt.hand { $0.stop() }
    #expect(attempt.receive(Array(Self.body[1500..<1600])) == .stop)
    attempt.run()
    #expect(attempt.cancellations == 1 && !attempt.hasEnded)
    attempt.finishExchange(.cancelled)
    attempt.run()
    let end = try #require(kept(of: attempt))
    #expect(end.code == nil && end.kept?.durable == 1500)
    #expect(attempt.files.durable == 1500 && attempt.files.bytes == Array(Self.body[..<1500]))
  }

  @Test("that is stopped takes no more of a coded body, even where nothing of the file comes of the piece")
  func stopInCodedBody() throws {
    let attempt = try AttemptUnderTest(decoder: Swallowing())
    attempt.hand { $0.begin() }
    attempt.run()
    #expect(attempt.head(200, [HTTPField(name: "Content-Encoding", value: "gzip")]) == .proceed)
    #expect(attempt.receive([1, 2]) == .more)
    attempt.hand { $0.stop() }
    #expect(attempt.receive([3, 4]) == .stop)
  }

  @Test("that is stopped before its request has left ends that exchange, too")
  func stopBeforeRequest() throws {
    let attempt = try AttemptUnderTest()
    attempt.hand { $0.begin() }
    attempt.step()
    attempt.hand { $0.stop() }
    attempt.run()
    #expect(attempt.requests.isEmpty && attempt.news == [.stopped(kept: nil)])
  }

  @Test("that is stopped while its file is made ready to be moved ends there, and keeps all of it")
  func stopWhilePreparing() throws {
    let attempt = try receiving()
    attempt.files.whilePreparing = { [unowned attempt] in attempt.hand { $0.stop() } }
    #expect(attempt.receive(Self.body) == .more)
    attempt.run()
    attempt.finishExchange()
    attempt.run()
    #expect(kept(of: attempt)?.kept?.durable == Int64(Self.body.count))
    #expect(attempt.files.published.isEmpty)
  }

  @Test("to which the store never answers waits, and a stop ends it")
  func proceedLost() throws {
    let attempt = try receiving()
    #expect(attempt.receive(Self.body) == .more)
    attempt.run()
    attempt.finishExchange()
    attempt.run()
    _ = try publishing(attempt)
    #expect(attempt.step() == nil && !attempt.hasEnded)
    attempt.hand { $0.stop() }
    attempt.run()
    #expect(kept(of: attempt)?.kept?.durable == Int64(Self.body.count))
    attempt.hand { $0.proceed() }
    #expect(attempt.step() == nil)
    #expect(attempt.files.published.isEmpty)
  }

  // MARK: Disks

  @Test("whose write fails ends its exchange, and counts what is there")
  func failedWrite() throws {
    let attempt = try receiving()
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run()
    attempt.files.failures[.append] = DownloadError(.io, "broken")
    #expect(attempt.receive(Array(Self.body[1000..<2000])) == .more)
    attempt.run()
    #expect(attempt.cancellations == 1)
    attempt.finishExchange(.cancelled)
    attempt.run()
    let end = try #require(kept(of: attempt))
    #expect(end.code == .io && end.kept?.durable == 1500)
    #expect(attempt.files.durable == 1500 && attempt.files.bytes == Array(Self.body[..<1500]))
  }

  @Test("that finds no room any more keeps what fits")
  func roomGone() throws {
    let attempt = try receiving()
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run()
    attempt.files.room = WritePolicy.reservedRoom + 100
    #expect(attempt.receive(Array(Self.body[1000..<2000])) == .more)
    attempt.run()
    attempt.finishExchange(.cancelled)
    attempt.run()
    let end = try #require(kept(of: attempt))
    #expect(end.code == .noSpace && end.kept?.durable == 1000)
    #expect(end.short == Int64(Self.body.count) - 1000 - 100, "what the rest of the file needs, and not the next piece")
  }

  @Test("whose last piece finds no room keeps the rest, and promises no digest of it")
  func roomGoneAtTheEnd() throws {
    let attempt = try receiving { $0.settings.checksum = true }
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run()
    #expect(attempt.receive(Array(Self.body[1000..<1400])) == .more)
    attempt.files.room = 0
    attempt.finishExchange(ExchangeFailure(.connectionLost, message: "gone"))
    attempt.run()
    let end = try #require(kept(of: attempt))
    #expect(end.code == .connectionLost || end.code == .noSpace)
    #expect(end.kept?.durable == 1000 && end.kept?.digestStates == [])
  }

  @Test("whose library is given up while a write is in flight changes no file any more")
  func gate() throws {
    let attempt = try receiving()
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run(through: AttemptUnderTest.isAppend)
    #expect(attempt.receive(Array(Self.body[1000..<1900])) == .more)
    attempt.files.isLibraryGivenUp = true
    let changes = attempt.files.changes
    attempt.hand { $0.stop() }
    attempt.run()
    attempt.finishExchange(.cancelled)
    attempt.run()
    #expect(attempt.hasEnded)
    #expect(attempt.files.changes == changes)
  }

  @Test("does not cut a partial file of a library that was given up when a sync fails")
  func gateBehindSync() throws {
    let attempt = try receiving()
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run()
    attempt.hand { $0.stop() }
    attempt.finishExchange(.cancelled)
    attempt.files.isLibraryGivenUp = true
    attempt.files.failures[.synchronize] = DownloadError(.io, "broken")
    attempt.run()
    #expect(attempt.hasEnded && attempt.files.bytes.count == 1000)
  }

  // MARK: Steps that fail before an exchange, or an end

  /// An attempt that has resumed at these bytes.
  private func resumed(
    at old: [UInt8], durable: Int? = nil, configure: (inout Attempt) -> Void = { _ in }
  ) throws -> AttemptUnderTest {
    var record = ResumeRecord.of(Array(old.prefix(durable ?? old.count)))
    record.url = "http://host.example/a.mp3"
    return try AttemptUnderTest(files: FakeFiles(old), bufferBytes: 4000) {
      $0.resume = record
      configure(&$0)
    }
  }

  @Test("that cannot read for its digests what is kept ends, and keeps it")
  func unreadable() throws {
    let old = [UInt8](repeating: 3, count: 200_000)
    let attempt = try resumed(at: old) { $0.settings.checksum = true }
    attempt.files.unreadable = 0..<10
    attempt.hand { $0.begin() }
    attempt.run()
    #expect(attempt.requests.isEmpty && attempt.cancellations == 0)
    let end = try #require(kept(of: attempt))
    #expect(attempt.hasEnded && end.code == .io && end.kept?.durable == 200_000)
  }

  @Test("whose file cannot be cut before a request ends, and asks no server", arguments: [false, true])
  func uncutBeforeRequest(isRestart: Bool) throws {
    let old = Array(Self.body[..<2000])
    // Bytes of another boot count only as far as the record goes, and those that differ from their hash not at all.
    let attempt = try resumed(at: old, durable: 1500) {
      $0.resume?.bootID = "another"
      if isRestart { $0.resume?.tailHash = String(repeating: "0", count: 64) }
    }
    attempt.files.failures[.truncate] = DownloadError(.io, "broken")
    attempt.hand { $0.begin() }
    attempt.run()
    if isRestart {
      attempt.hand { $0.proceed() }
      attempt.run()
    }
    let end = try #require(kept(of: attempt), "\(attempt.news)")
    #expect(attempt.hasEnded && attempt.requests.isEmpty && end.code == .io)
    #expect(end.kept?.durable == (isRestart ? nil : 1500))
  }

  @Test("whose file cannot be cut before it ends ends all the same")
  func uncutBeforeEnd() throws {
    let attempt = try receiving {
      $0.description.integrity = Integrity("sha256-" + String(repeating: "A", count: 43) + "=")
    }
    #expect(attempt.receive(Self.body) == .more)
    attempt.run()
    attempt.finishExchange()
    attempt.run()
    attempt.files.failures[.truncate] = DownloadError(.io, "broken")
    attempt.hand { $0.proceed() }
    attempt.run()
    let end = try #require(kept(of: attempt), "\(attempt.news)")
    #expect(attempt.hasEnded && end.code == .integrityMismatch && end.kept == nil)
  }

  @Test(
    "whose old bytes cannot be cut off behind a new version's records nothing of the file", arguments: [false, true])
  func uncutWhileReceiving(isEnded: Bool) throws {
    let attempt = try resumed(at: Array(Self.body[..<2000]) + [UInt8](repeating: 1, count: 500))
    attempt.hand { $0.begin() }
    attempt.run()
    #expect(attempt.head(length: Self.body.count) == .proceed)
    for start in stride(from: 0, to: Self.body.count, by: 3000) {
      guard attempt.receive(Array(Self.body[start..<min(start + 3000, Self.body.count)])) == .more else { break }
      attempt.run()
    }
    guard case .restarting? = attempt.news.last else {
      Issue.record("\(attempt.news)")
      return
    }
    if isEnded { attempt.finishExchange(.cancelled) }
    attempt.files.failures[.truncate] = DownloadError(.io, "broken")
    attempt.hand { $0.proceed() }
    attempt.run()
    if !isEnded {
      #expect(attempt.cancellations == 1 && !attempt.hasEnded)
      attempt.finishExchange(.cancelled)
      attempt.run()
    }
    let end = try #require(kept(of: attempt), "\(attempt.news)")
    #expect(attempt.hasEnded && end.kept == nil && attempt.files.bytes.count == 2500)
  }

  // MARK: Syncs

  @Test("whose last sync fails cuts the file to what its record promises, before it says so")
  func failedSync() throws {
    let attempt = try receiving()
    #expect(attempt.receive(Array(Self.body[..<1000])) == .more)
    attempt.run()
    attempt.files.failures[.synchronize] = DownloadError(.io, "broken")
    attempt.hand { $0.stop() }
    attempt.finishExchange(.cancelled)
    attempt.run(through: AttemptUnderTest.isSync)
    #expect(attempt.files.bytes.isEmpty)
    attempt.run()
    #expect(kept(of: attempt)?.kept?.bootID == ResumeRecord.noBoot)
  }

  @Test("reports no checkpoint before its sync has ended, and goes on writing meanwhile")
  func syncBeside() throws {
    let attempt = try synchronizing()
    #expect(attempt.news.isEmpty)
    attempt.milliseconds *= 3
    #expect(attempt.receive(Array(Self.body[1000..<2000])) == .more)
    attempt.run()
    #expect(attempt.files.bytes.count == 2000 && attempt.news.isEmpty)
    try attempt.endSync()
    attempt.run()
    guard case .checkpoint(let record)? = attempt.news.last else {
      Issue.record("\(attempt.news)")
      return
    }
    #expect(record.durable == 1000)
  }

  @Test("has its last sync wait for the one that runs, since only one of them is told of a failed write")
  func lastSyncWaits() throws {
    let attempt = try synchronizing()
    attempt.hand { $0.stop() }
    attempt.finishExchange(.cancelled)
    attempt.run()
    #expect(attempt.isSynchronizing && !attempt.hasEnded)
    try attempt.endSync()
    attempt.run()
    #expect(kept(of: attempt)?.kept?.durable == 1000)
    #expect(attempt.news.count == 1)
  }

  @Test("whose sync fails beside the writing believes no byte that was written since the last record")
  func failedSyncBeside() throws {
    let attempt = try synchronizing()
    #expect(attempt.receive(Array(Self.body[1000..<2000])) == .more)
    attempt.run()
    try attempt.endSync(DownloadError(.io, "broken"))
    attempt.run()
    #expect(attempt.files.bytes.isEmpty && attempt.cancellations == 1)
    attempt.finishExchange(.cancelled)
    attempt.run()
    let end = try #require(kept(of: attempt))
    #expect(end.code == .io && end.kept?.durable ?? 0 == 0)
  }

  /// A network that is faster than the disk has the next piece ready whenever one is written: the record waited for
  /// all.
  @Test("records a sync that has ended before it writes the piece that waits")
  func recordBeforePiece() throws {
    let attempt = try synchronizing()
    #expect(attempt.receive(Array(Self.body[1000..<1900])) == .more)
    attempt.run(through: AttemptUnderTest.isAppend)
    try attempt.endSync()
    #expect(attempt.receive(Array(Self.body[1900..<2800])) == .more)
    #expect(attempt.news.isEmpty)
    attempt.run(through: AttemptUnderTest.isAppend)
    guard case .checkpoint? = attempt.news.last else {
      Issue.record("\(attempt.news)")
      return
    }
    #expect(attempt.files.bytes == Array(Self.body[..<2800]))
  }

  /// The record promised bytes of a version that the attempt had just thrown away.
  @Test("records no sync that ends after a restart has cut the file: other bytes are there then")
  func outdatedSync() throws {
    let old = Array(Self.body[..<2000])
    var record = ResumeRecord.of(old)
    record.url = "http://host.example/a.mp3"
    let other = try #require(Integrity("sha256-" + String(repeating: "A", count: 43) + "="))
    let attempt = try AttemptUnderTest(files: FakeFiles(old), fastPieceBlocks: 1, bufferBytes: 4000) {
      $0.resume = record
      $0.description.integrity = other
    }
    attempt.hand { $0.begin() }
    attempt.run()
    let range = HTTPField(name: "Content-Range", value: "bytes 0-\(Self.body.count - 1)/\(Self.body.count)")
    #expect(attempt.head(206, length: Self.body.count, [range]) == .proceed)
    attempt.milliseconds = WritePolicy.checkpointMilliseconds
    for start in stride(from: 0, to: Self.body.count, by: 1000) {
      #expect(attempt.receive(Array(Self.body[start..<min(start + 1000, Self.body.count)])) == .more)
      attempt.run()
    }
    #expect(attempt.isSynchronizing)
    attempt.finishExchange()
    attempt.run()
    guard case .restarting(_, .integrityMismatch)? = attempt.news.last else {
      Issue.record("\(attempt.news)")
      return
    }
    let told = attempt.news.count
    attempt.hand { $0.proceed() }
    attempt.run()
    try #require(attempt.requests.count == 2)
    #expect(attempt.head(length: Self.body.count) == .proceed)
    #expect(attempt.receive(Array(Self.body[..<500])) == .more)
    attempt.run()
    try attempt.endSync()
    attempt.run()
    #expect(attempt.news.count == told, "the row promises nothing")
  }

  @Test("whose files fail twice ends when its exchange has, so that all of its bytes are counted")
  func failedTwice() throws {
    let attempt = try synchronizing()
    attempt.files.failures[.append] = DownloadError(.io, "broken")
    #expect(attempt.receive(Array(Self.body[1000..<2000])) == .more)
    attempt.run()
    #expect(attempt.cancellations == 1)
    try attempt.endSync(DownloadError(.io, "broken, too"))
    attempt.run()
    #expect(!attempt.hasEnded && attempt.news.isEmpty)
    attempt.finishExchange(.cancelled)
    attempt.run()
    #expect(attempt.hasEnded && attempt.news.count == 1)
  }

  // MARK: What is kept

  @Test("keeps the piece back that differs from what is kept, until the store has agreed")
  func held() throws {
    let old = [UInt8](Self.body[..<2000]) + [UInt8](repeating: 1, count: 500)
    let files = FakeFiles(old)
    var record = ResumeRecord.of(old)
    record.url = "http://host.example/a.mp3"
    let attempt = try AttemptUnderTest(files: files, bufferBytes: 4000) { $0.resume = record }
    attempt.hand { $0.begin() }
    attempt.run()
    #expect(attempt.requests.map(\.rangeStart) == [0])
    #expect(attempt.head(length: Self.body.count) == .proceed)
    for start in stride(from: 0, to: Self.body.count, by: 3000) {
      guard attempt.receive(Array(Self.body[start..<min(start + 3000, Self.body.count)])) == .more else { break }
      attempt.run()
    }
    guard case .restarting(let discarding, _)? = attempt.news.last else {
      Issue.record("\(attempt.news)")
      return
    }
    #expect(discarding == 500 && files.bytes == old)
    attempt.hand { $0.proceed() }
    attempt.run()
    #expect(
      files.bytes.starts(with: Self.body[..<3000]) && files.bytes.elementsEqual(Self.body.prefix(files.bytes.count)))
  }
}

extension ResumeRecord {
  /// A record of these bytes, written by an attempt of the same boot.
  fileprivate static func of(_ bytes: [UInt8]) -> ResumeRecord {
    let length = Int64(bytes.count)
    let tail = tailRange(ofDurable: length)
    return ResumeRecord(
      url: "", strongETag: nil, rotatesTags: false, lastModified: nil, isDateStrong: false, total: nil,
      durable: length, tailHash: RunningDigest.sha256(of: Array(bytes[Int(tail.lowerBound)..<Int(tail.upperBound)])),
      bootID: "boot", savedAt: Timestamp(milliseconds: 0), digestStates: [])
  }
}

/// What a coding begins with: nothing of the file.
private final class Swallowing: BodyDecoder {
  let isAtEnd = false

  func decode(
    _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
  ) throws(DownloadError) -> Bool {
    true
  }
}
