import Flux
import Testing

@testable import PodfluxCore

/// Drives a machine manually: sends events, and compares its orders.
@Suite("The transfer machine")
struct TransferMachineTests {
  typealias Order = TransferMachine.Order

  /// A partial of 1,000 bytes, all of them durable.
  static let record = ResumeRecord(
    url: "https://example.org/a.mp3", strongETag: "\"v1\"", lastModified: nil, total: 1500, durable: 1000,
    tailHash: "hash", bootID: "boot", savedAt: Timestamp(milliseconds: 0))
  static let kept = [UInt8](repeating: 7, count: 1000)
  /// The beginning of every file here.
  static let media = [UInt8]("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]
  static let now = Timestamp(milliseconds: 0)

  static func machine(resuming record: ResumeRecord? = nil) throws -> TransferMachine {
    let attempt = Attempt(
      id: AttemptID(download: try #require(DownloadID("a")), generation: 1),
      address: try WebAddress("https://example.org/a.mp3"), description: .init(), origin: .user, resume: record,
      settings: Settings())
    return TransferMachine(attempt: attempt, bootID: "boot")
  }

  /// The machine of an attempt that doubts its record's length, about to open the partial file.
  static func doubting(_ record: ResumeRecord, quotaLeft: Int64 = .max) throws -> TransferMachine {
    var attempt = try machine(resuming: record).attempt
    attempt.settings.maxFileBytes = 0
    attempt.doubt = .init(quotaLeft: quotaLeft)
    var machine = TransferMachine(attempt: attempt, bootID: "boot")
    #expect(machine.start() == [.openPartial(tail: 0..<1000)])
    return machine
  }

  static func head(_ status: Int, _ fields: [(String, String)] = []) -> ResponseHead {
    ResponseHead(
      status: status, effectiveURL: "https://example.org/a.mp3", fields: fields.map { HTTPField(name: $0, value: $1) })
  }

  static func written(_ machine: TransferMachine, _ durable: Int64) -> ResumeRecord {
    machine.record(durable: durable, tailHash: "new", savedAt: Timestamp(milliseconds: 1))
  }

  /// The result of a complete file without a checkpoint.
  static func complete(_ machine: inout TransferMachine, length: Int64) -> [Order] {
    machine.completed(.init(length: length, beginning: media), blank: written(machine, 0))
  }

  static func receive(_ bytes: [UInt8], into machine: inout TransferMachine) -> TransferMachine.BodyVerdict {
    bytes.withUnsafeBytes { machine.received(body: $0) }
  }

  /// A machine that has requested the rest of its file.
  static func resuming() throws -> TransferMachine {
    var machine = try machine(resuming: record)
    #expect(machine.start() == [.openPartial(tail: 0..<1000)])
    #expect(
      machine.partialOpened(length: 1000, tailHash: "hash") == [.request(.init(rangeStart: 0, ifRange: "\"v1\""))])
    return machine
  }

  /// A machine that has received the whole file of another version, which differs from an offset on.
  static func changed(at offset: Int64, declared: Int = 1200) throws -> (machine: TransferMachine, orders: [Order]) {
    var machine = try resuming()
    let other = head(200, [("Content-Length", "\(declared)"), ("ETag", "\"v2\"")])
    #expect(machine.received(head: other, at: now).goesOn)
    #expect(receive([UInt8](repeating: 7, count: declared), into: &machine) == .take)
    let orders = machine.keptDiffers(at: offset)
    return (machine, orders)
  }

  /// A machine that has received a new file, and whose exchange has ended.
  static func fetched(_ bytes: [UInt8], declared: Int) throws -> TransferMachine {
    var machine = try machine()
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    _ = machine.received(head: head(200, [("Content-Length", "\(declared)")]), at: Self.now)
    if !bytes.isEmpty { _ = receive(bytes, into: &machine) }
    let isComplete = bytes.count == declared && declared > 0
    #expect(machine.exchangeFinished(failure: nil) == [isComplete ? .completeWriting : .finishWriting])
    return machine
  }

  /// A machine that has found a path for its file of one byte, and has announced it.
  static func awaitingPublishing() throws -> TransferMachine {
    var machine = try fetched([1], declared: 1)
    _ = complete(&machine, length: 1)
    _ = machine.named(try LibraryPath(validating: "a.mp3"), inode: 9)
    _ = machine.contentsSynchronized()
    return machine
  }

  /// The kept bytes of a machine that was stopped, or could not publish: all of the file, with a complete record.
  static func expectFullRecord(_ orders: [Order], _ machine: inout TransferMachine) -> [Order] {
    #expect(orders == [.finishWriting])
    return machine.written(written(machine, 1))
  }

  static let fittingPart = head(206, [("Content-Range", "bytes 0-1499/1500"), ("ETag", "\"v1\"")])

  // MARK: The straight way

  @Test("A new file is fetched, synced, named and published, and the row is updated before the rename")
  func wholeFile() throws {
    var machine = try Self.machine()
    #expect(machine.start() == [.openPartial(tail: nil)])
    #expect(machine.partialOpened(length: 0, tailHash: nil) == [.request(.wholeFile)])
    #expect(machine.received(head: Self.head(200, [("Content-Length", "3")]), at: Self.now).goesOn)
    #expect(Self.receive([1, 2, 3], into: &machine) == .take)
    #expect(machine.exchangeFinished(failure: nil) == [.completeWriting])
    let record = Self.written(machine, 0)
    #expect(machine.completed(.init(length: 3, beginning: Self.media), blank: record) == [.name(number: 1)])
    let file = PublishedFile(path: try LibraryPath(validating: "a.mp3"), length: 3, inode: 9)
    #expect(
      machine.named(file.path, inode: 9) == [.report(.publishing(file, kept: record)), .synchronizeContents])
    #expect(machine.contentsSynchronized().isEmpty)
    #expect(machine.proceed() == [.publish(file)])
    #expect(machine.published(Publication()) == [.end(.finished(file))])
  }

  @Test("After its path was taken it tries the next, and updates the row again")
  func takenName() throws {
    var machine = try Self.awaitingPublishing()
    _ = machine.proceed()
    #expect(machine.published(nil) == [.name(number: 2)])
    let orders = machine.named(try LibraryPath(validating: "a (2).mp3"), inode: 9)
    guard case .report(.publishing(let file, _, _))? = orders.first else {
      Issue.record("\(orders)")
      return
    }
    #expect(file.path.description == "a (2).mp3")
    #expect(orders.count == 1, "the contents are synced once")
    #expect(machine.named(nil, inode: 9).isEmpty, "an unexpected answer changes nothing")
  }

  @Test("A file is not renamed before its contents are durable, however early the store agrees")
  func agreementBeforeSync() throws {
    var machine = try Self.fetched([1], declared: 1)
    _ = Self.complete(&machine, length: 1)
    let file = PublishedFile(path: try LibraryPath(validating: "a.mp3"), length: 1, inode: 9)
    _ = machine.named(file.path, inode: 9)
    #expect(machine.proceed().isEmpty)
    #expect(machine.stop().isEmpty, "the store has agreed: it is too late")
    #expect(machine.contentsSynchronized() == [.publish(file)])
    #expect(machine.published(Publication()) == [.end(.finished(file))])
  }

  @Test(
    "A file whose sync fails is not published, and its record does not change", arguments: [true, false])
  func failedSync(hasAgreed: Bool) throws {
    var machine = try Self.fetched([1], declared: 1)
    _ = Self.complete(&machine, length: 1)
    _ = machine.named(try LibraryPath(validating: "a.mp3"), inode: 9)
    if hasAgreed { _ = machine.proceed() }
    let trouble = DownloadError(.io, "the disk is broken")
    #expect(machine.filesFailed(trouble) == [.end(.failed(trouble, kept: Self.written(machine, 0)))])
    #expect(machine.proceed().isEmpty)
    #expect(machine.contentsSynchronized().isEmpty)
  }

  @Test("A publishing file's record covers its last checkpoint: the rest is durable only after the rename")
  func keptWhilePublishing() throws {
    var machine = try Self.fetched([1, 2, 3], declared: 3)
    let checkpoint = Self.written(machine, 2)
    machine.checkpointed(checkpoint)
    _ = Self.complete(&machine, length: 3)
    let file = PublishedFile(path: try LibraryPath(validating: "a.mp3"), length: 3, inode: 9)
    #expect(machine.named(file.path, inode: 9).first == .report(.publishing(file, kept: checkpoint)))
  }

  @Test("An older version's empty record is not reported with a new version")
  func recordOfOlderVersion() throws {
    var old = Self.record
    old.durable = 0
    var machine = try Self.machine(resuming: old)
    _ = machine.start()
    #expect(machine.partialOpened(length: 0, tailHash: "hash") == [.request(.wholeFile)])
    _ = machine.received(head: Self.head(200, [("Content-Length", "1"), ("ETag", "\"v2\"")]), at: Self.now)
    _ = Self.receive([1], into: &machine)
    _ = machine.exchangeFinished(failure: nil)
    _ = Self.complete(&machine, length: 1)
    let orders = machine.named(try LibraryPath(validating: "a.mp3"), inode: 9)
    guard case .report(.publishing(_, let kept, _))? = orders.first else {
      Issue.record("\(orders)")
      return
    }
    #expect(kept.strongETag == "\"v2\"")
    #expect(kept.durable == 0)
  }

  @Test("A resume accepts a part, compares it from its beginning, and reports the kept length")
  func resume() throws {
    var machine = try Self.resuming()
    #expect(machine.received(head: Self.fittingPart, at: Self.now).goesOn)
    #expect(machine.comparison == KeptComparison(from: 0, to: 1000))
    #expect(Self.receive(Array(Self.kept[..<600]), into: &machine) == .take)
    #expect((machine.position, machine.received) == (600, 1000))
    #expect(Self.receive(Array(Self.kept[600...]) + [1, 2], into: &machine) == .take)
    machine.keptWasRepeated()
    #expect((machine.position, machine.received) == (1002, 1002))
    #expect(machine.isReceiving)
    #expect(Self.written(machine, 1002).strongETag == "\"v1\"")
  }

  // MARK: Changed files

  @Test("A part with another overlap is discarded, not the kept bytes: the whole file is requested and compared")
  func differentOverlap() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart, at: Self.now)
    _ = Self.receive([8], into: &machine)
    #expect(machine.keptDiffers(at: 0) == [.cancelExchange])
    #expect(Self.receive([8], into: &machine) == .stop)
    #expect(machine.exchangeFinished(failure: DownloadError(.connectionLost, "")) == [.request(.wholeFile)])
    #expect(machine.received(head: Self.head(200, [("Content-Length", "4")]), at: Self.now).goesOn)
    _ = Self.receive([8, 8], into: &machine)
    #expect(machine.keptDiffers(at: 0) == [.report(.restarting(discarding: 1000, because: .contentChanged))])
  }

  @Test(
    "A mismatch discards nothing: the whole file is requested after the exchange has ended",
    arguments: [
      (206, ["Content-Range": "bytes 0-1499/1500", "ETag": "\"v2\""]), (206, ["Content-Range": "bytes 1-1499/1500"]),
      (206, ["Content-Type": "multipart/byteranges; boundary=x"]), (412, [:]), (416, ["Content-Range": "bytes */10"]),
    ] as [(Int, [String: String])])
  func unfit(_ status: Int, _ fields: [String: String]) throws {
    var machine = try Self.resuming()
    let (goesOn, orders) = machine.received(
      head: Self.head(status, fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }), at: Self.now)
    #expect(!goesOn)
    #expect(orders.isEmpty)
    #expect(machine.exchangeFinished(failure: nil) == [.request(.wholeFile)])
  }

  @Test("A whole file for a range is compared; at a difference the rest is discarded, after the store agreed")
  func wholeFileSent() throws {
    var (machine, orders) = try Self.changed(at: 400)
    #expect(orders == [.report(.restarting(discarding: 600, because: .validatorChanged))])
    #expect(Self.receive([9], into: &machine) == .take, "more may come while the store is asked")
    #expect(machine.proceed() == [.truncate(to: 400), .resumeWriting])
    #expect(machine.position == 1201)
    #expect(machine.isReceiving)
    #expect(Self.written(machine, 900).strongETag == "\"v2\"")
    #expect(Self.written(machine, 900).total == 1200)
  }

  @Test("A whole file that ended before the difference was found is complete nevertheless")
  func changedAtItsEnd() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.head(200, [("Content-Length", "1200")]), at: Self.now)
    _ = Self.receive([UInt8](repeating: 7, count: 1200), into: &machine)
    #expect(machine.exchangeFinished(failure: nil) == [.completeWriting])
    #expect(machine.keptDiffers(at: 10) == [.report(.restarting(discarding: 990, because: .lengthChanged))])
    #expect(machine.proceed() == [.truncate(to: 10), .resumeWriting, .completeWriting])
    #expect(Self.complete(&machine, length: 1200) == [.name(number: 1)])
  }

  @Test("What comes while the store is asked counts for the limit of a file's bytes")
  func tooMuchWhileAsking() throws {
    var attempt = try Self.machine(resuming: Self.record).attempt
    attempt.settings.maxFileBytes = 1100
    var machine = TransferMachine(attempt: attempt, bootID: "boot")
    _ = machine.start()
    _ = machine.partialOpened(length: 1000, tailHash: "hash")
    #expect(machine.received(head: Self.head(200, [("ETag", "\"v2\"")]), at: Self.now).goesOn)
    #expect(Self.receive([UInt8](repeating: 7, count: 1000), into: &machine) == .take)
    #expect(machine.keptDiffers(at: 400) == [.report(.restarting(discarding: 600, because: .validatorChanged))])
    #expect(Self.receive([UInt8](repeating: 7, count: 200), into: &machine) == .take)
    #expect(machine.exchangeFinished(failure: nil).isEmpty)
    #expect(machine.proceed() == [.truncate(to: 400), .resumeWriting, .finishWriting])
  }

  @Test("A connection that dies before the store's answer keeps the new version's bytes")
  func deathWhileAsking() throws {
    var (machine, _) = try Self.changed(at: 400, declared: 1500)
    let lost = DownloadError(.connectionLost, "cut")
    #expect(machine.exchangeFinished(failure: lost).isEmpty)
    #expect(machine.proceed() == [.truncate(to: 400), .resumeWriting, .finishWriting])
    let record = Self.written(machine, 1500)
    #expect(machine.written(record) == [.end(.failed(lost, kept: record))])
  }

  @Test("A whole file that breaks off before it has repeated the kept bytes discards none of them")
  func brokenComparison() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.head(200, [("Content-Length", "1500"), ("ETag", "\"v2\"")]), at: Self.now)
    _ = Self.receive(Array(Self.kept[..<600]), into: &machine)
    let lost = DownloadError(.connectionLost, "cut")
    #expect(machine.exchangeFinished(failure: lost) == [.finishWriting])
    let record = Self.written(machine, 1000)
    #expect(record.strongETag == "\"v1\"", "nothing is known of the new version's end")
    #expect(machine.written(record) == [.end(.failed(lost, kept: record))])
  }

  @Test("A file that is shorter now and repeats the kept bytes is truncated there")
  func shorterFile() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.head(200, [("Content-Length", "700")]), at: Self.now)
    _ = Self.receive(Array(Self.kept[..<700]), into: &machine)
    #expect(machine.exchangeFinished(failure: nil) == [.completeWriting])
    #expect(
      Self.complete(&machine, length: 1000) == [.report(.restarting(discarding: 300, because: .lengthChanged))])
    #expect(machine.proceed() == [.truncate(to: 700), .resumeWriting, .completeWriting])
    #expect(Self.complete(&machine, length: 700) == [.name(number: 1)])
  }

  /// Seed 236 of the simulator: a file without a known length became shorter than its kept bytes. Every response ended
  /// before it had repeated them, and the attempts were exhausted.
  @Test("Without a length, an unmarked end is a cut if more bytes were kept", arguments: [true, false])
  func unmarkedEnd(isDelimited: Bool) throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.head(200), at: Self.now)
    _ = Self.receive(Array(Self.kept[..<700]), into: &machine)
    let orders = machine.exchangeFinished(failure: nil, isDelimited: isDelimited)
    #expect(orders == [isDelimited ? .completeWriting : .finishWriting])
  }

  @Test("A record tells a weak tag by its hash")
  func weakTag() throws {
    var machine = try Self.machine(resuming: nil)
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    let fields = [("Content-Length", "200000"), ("ETag", "W/\"v1\"")]
    #expect(machine.received(head: Self.head(200, fields), at: Self.now).goesOn)
    let record = Self.written(machine, 100_000)
    #expect(record.strongETag == nil && record.tagHash == EntityTag.hash(of: "\"v1\""))
    #expect(FileVersion(record).tagHash == record.tagHash)
  }

  @Test("Another tag for the same bytes, length and date is a rotating tag", arguments: ["\"v2\"", "W/\"v2\""])
  func rotatingTag(tag: String) throws {
    var record = Self.record
    (record.durable, record.total, record.lastModified) = (100_000, 200_000, "Sat, 21 Nov 2026 03:00:00 GMT")
    for (date, rotates) in [(record.lastModified, true), ("Sun, 22 Nov 2026 03:00:00 GMT", false), (nil, false)] {
      var machine = try Self.machine(resuming: record)
      _ = machine.start()
      _ = machine.partialOpened(length: 100_000, tailHash: "hash")
      var fields = [("Content-Length", "200000"), ("ETag", tag)]
      if let date { fields.append(("Last-Modified", date)) }
      #expect(machine.received(head: Self.head(200, fields), at: Self.now).goesOn)
      machine.keptWasRepeated()
      #expect(Self.written(machine, 100_000).rotatesTags == rotates)
    }
  }

  // MARK: Partial files

  @Test("A partial file that does not match its record is discarded before any request")
  func damagedPartial() throws {
    var machine = try Self.machine(resuming: Self.record)
    _ = machine.start()
    #expect(
      machine.partialOpened(length: 1000, tailHash: "other")
        == [.report(.restarting(discarding: 1000, because: .partialDamaged))])
    #expect(machine.proceed() == [.truncate(to: 0), .request(.wholeFile)])
  }

  @Test("Bytes without a record are truncated")
  func strayBytes() throws {
    var machine = try Self.machine()
    _ = machine.start()
    #expect(machine.partialOpened(length: 12, tailHash: nil) == [.truncate(to: 0), .request(.wholeFile)])
  }

  @Test("Without storage for the rest it is not requested, and some stays free for the library's own records")
  func room() throws {
    let needed: Int64 = 500
    for (room, isEnough) in [(needed + WritePolicy.reservedRoom, true), (needed + WritePolicy.reservedRoom - 1, false)]
    {
      var machine = try Self.machine(resuming: Self.record)
      _ = machine.start()
      let orders = machine.partialOpened(length: 1000, tailHash: "hash", room: room)
      if case .end(.failed(let error, Self.record?, _))? = orders.first {
        #expect(error.code == .noSpace)
        #expect(!isEnough)
      } else {
        #expect(isEnough)
      }
    }
  }

  // MARK: Ends

  @Test("A cut keeps the received bytes and fails with the known error")
  func cut() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart, at: Self.now)
    _ = Self.receive(Self.kept + [1], into: &machine)
    let lost = DownloadError(.connectionLost, "cut")
    #expect(machine.exchangeFinished(failure: lost) == [.finishWriting])
    let record = Self.written(machine, 1001)
    #expect(machine.written(record) == [.end(.failed(lost, kept: record))])
  }

  @Test(
    "A body that ends too early or too late is a failure",
    arguments: [(2, DownloadError.Code.connectionLost), (4, .lengthMismatch)])
  func wrongLength(_ count: Int, _ code: DownloadError.Code) throws {
    var machine = try Self.fetched([UInt8](repeating: 1, count: count), declared: 3)
    guard case .end(.failed(let error, _, _))? = machine.written(Self.written(machine, Int64(count))).first else {
      Issue.record("it was taken for complete")
      return
    }
    #expect(error.code == code)
  }

  @Test("An empty file is a failure, and nothing of it is kept")
  func emptyFile() throws {
    var machine = try Self.fetched([], declared: 0)
    guard case .end(.failed(let error, nil, _))? = machine.written(nil).first else {
      Issue.record("it was taken for complete")
      return
    }
    #expect(error.code == .lengthMismatch)
  }

  @Test("A partial file shorter than the received bytes is never published")
  func shrunkPartial() throws {
    var machine = try Self.fetched([1, 2, 3], declared: 3)
    guard case .end(.failed(let error, nil, _))? = Self.complete(&machine, length: 2).first else {
      Issue.record("it was published")
      return
    }
    #expect(error.code == .lengthMismatch)
  }

  @Test("A stop while receiving ends the exchange, syncs and keeps")
  func stopWhileReceiving() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart, at: Self.now)
    _ = Self.receive(Self.kept + [1], into: &machine)
    #expect(machine.stop() == [.cancelExchange])
    #expect(machine.stop().isEmpty, "a stop can be said twice")
    #expect(Self.receive([2], into: &machine) == .stop)
    #expect(machine.exchangeFinished(failure: DownloadError(.connectionLost, "")) == [.finishWriting])
    let record = Self.written(machine, 1001)
    #expect(machine.written(record) == [.end(.stopped(kept: record))])
  }

  @Test("A stop during the announcement of a restart keeps nothing: the row has already dropped the bytes")
  func stopWhileRestarting() throws {
    var (machine, _) = try Self.changed(at: 400)
    #expect(machine.stop() == [.cancelExchange])
    #expect(machine.exchangeFinished(failure: nil) == [.end(.stopped(kept: nil))])
  }

  @Test("A stop before the store agrees prevents the publishing, a stop after it comes too late")
  func stopAroundPublishing() throws {
    var machine = try Self.awaitingPublishing()
    var late = machine
    let record = Self.written(machine, 1)
    #expect(Self.expectFullRecord(machine.stop(), &machine) == [.end(.stopped(kept: record))])
    #expect(machine.proceed().isEmpty)
    _ = late.proceed()
    #expect(late.stop().isEmpty)
    #expect(late.published(Publication()).count == 1)
  }

  @Test("A stop while the complete file is synced or named keeps all of it")
  func stopBeforePublishing() throws {
    var machine = try Self.fetched([1], declared: 1)
    var named = machine
    let record = Self.written(machine, 1)
    #expect(machine.stop().isEmpty)
    #expect(Self.expectFullRecord(Self.complete(&machine, length: 1), &machine) == [.end(.stopped(kept: record))])
    _ = Self.complete(&named, length: 1)
    #expect(named.stop().isEmpty)
    let orders = named.named(try LibraryPath(validating: "a.mp3"), inode: 9)
    #expect(Self.expectFullRecord(orders, &named) == [.end(.stopped(kept: record))])
  }

  @Test("A complete file whose path is taken, or that cannot be moved, is kept with a full record")
  func unpublishable() throws {
    var machine = try Self.fetched([1], declared: 1)
    let record = Self.written(machine, 1)
    _ = Self.complete(&machine, length: 1)
    let orders = Self.expectFullRecord(machine.named(nil, inode: 9), &machine)
    guard case .end(.failed(let error, let kept, _))? = orders.first else {
      Issue.record("\(orders)")
      return
    }
    #expect(error.code == .fileExists)
    #expect(kept == record)

    var denied = try Self.awaitingPublishing()
    _ = denied.proceed()
    let trouble = DownloadError(.io, "denied")
    let ending = Self.expectFullRecord(denied.filesFailed(trouble), &denied)
    #expect(ending == [.end(.failed(trouble, kept: record))])
  }

  /// Seeds 277 and 969 of the simulator: a sync failed, the commit of that failed too, and the process died. The next
  /// one believed the partial's length, synced it without complaint, and promised or published bytes that the device
  /// never got.
  @Test("After a failed sync only the last record's bytes count")
  func distrust() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart, at: Self.now)
    _ = Self.receive(Self.kept + [1], into: &machine)
    let broken = DownloadError(.io, "broken")
    machine.synchronizationFailed()
    #expect(machine.promised == Self.record.durable)
    #expect(machine.filesFailed(broken) == [.cancelExchange])
    #expect(machine.exchangeFinished(failure: nil) == [.finishWriting])
    var record = Self.record
    record.bootID = ResumeRecord.noBoot
    #expect(machine.filesFailed(broken) == [.end(.failed(broken, kept: record))])
  }

  @Test("A stop before the start ends the attempt as soon as it starts")
  func stopBeforeStart() throws {
    var machine = try Self.machine(resuming: Self.record)
    #expect(machine.stop().isEmpty)
    #expect(machine.start() == [.end(.stopped(kept: Self.record))])
  }

  @Test("A file error ends the exchange, keeps the bytes on the disk, and becomes the attempt's error")
  func fileTrouble() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart, at: Self.now)
    _ = Self.receive(Self.kept + [1], into: &machine)
    let full = DownloadError(.noSpace, "full")
    #expect(machine.filesFailed(full) == [.cancelExchange])
    #expect(machine.exchangeFinished(failure: nil) == [.finishWriting])
    #expect(machine.filesFailed(full) == [.end(.failed(full, kept: Self.record))])
    #expect(machine.filesFailed(full).isEmpty)
  }
}
