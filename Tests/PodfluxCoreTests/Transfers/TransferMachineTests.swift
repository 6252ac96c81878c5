import Flux
import Testing

@testable import PodfluxCore

/// Drives a machine by hand: what happens goes in, the orders are compared.
@Suite("The transfer machine")
struct TransferMachineTests {
  typealias Order = TransferMachine.Order

  /// A partial of 1,000 bytes, all of them durable.
  static let record = ResumeRecord(
    url: "https://example.org/a.mp3", strongETag: "\"v1\"", lastModified: nil, total: 1500, durable: 1000,
    tailHash: "hash", bootID: "boot", savedAt: Timestamp(milliseconds: 0))
  static let kept = [UInt8](repeating: 7, count: 1000)

  static func machine(resuming record: ResumeRecord? = nil) throws -> TransferMachine {
    let attempt = Attempt(
      id: AttemptID(download: try #require(DownloadID("a")), generation: 1),
      address: try WebAddress("https://example.org/a.mp3"), description: .init(), origin: .user, resume: record,
      settings: Settings())
    return TransferMachine(attempt: attempt, bootID: "boot")
  }

  static func head(_ status: Int, _ fields: [(String, String)] = []) -> ResponseHead {
    ResponseHead(
      status: status, effectiveURL: "https://example.org/a.mp3", fields: fields.map { HTTPField(name: $0, value: $1) })
  }

  static func written(_ machine: TransferMachine, _ durable: Int64) -> ResumeRecord {
    machine.record(durable: durable, tailHash: "new", savedAt: Timestamp(milliseconds: 1))
  }

  /// The answer for a complete file of which no checkpoint was made.
  static func complete(_ machine: inout TransferMachine, length: Int64) -> [Order] {
    machine.completed(length: length, blank: written(machine, 0))
  }

  static func receive(_ bytes: [UInt8], into machine: inout TransferMachine) -> TransferMachine.BodyVerdict {
    bytes.withUnsafeBytes { machine.received(body: $0).verdict }
  }

  /// A machine that has asked for the rest of its file.
  static func resuming() throws -> TransferMachine {
    var machine = try machine(resuming: record)
    #expect(machine.start() == [.openPartial(tail: 0..<1000)])
    #expect(machine.partialOpened(length: 1000, tailHash: "hash") == [.readOverlap(0..<1000)])
    #expect(machine.overlapRead(kept) == [.request(.init(rangeStart: 0, ifRange: "\"v1\""))])
    return machine
  }

  /// A machine to which a new file has come, and whose exchange has come to its end.
  static func fetched(_ bytes: [UInt8], declared: Int) throws -> TransferMachine {
    var machine = try machine()
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    _ = machine.received(head: head(200, [("Content-Length", "\(declared)")]))
    if !bytes.isEmpty { _ = receive(bytes, into: &machine) }
    let isComplete = bytes.count == declared && declared > 0
    #expect(machine.exchangeFinished(failure: nil) == [isComplete ? .completeWriting : .finishWriting])
    return machine
  }

  /// A machine that has found a name for its file of one byte, and has told the store.
  static func awaitingPublishing() throws -> TransferMachine {
    var machine = try fetched([1], declared: 1)
    _ = complete(&machine, length: 1)
    _ = machine.named(try LibraryPath(validating: "a.mp3"), inode: 9)
    _ = machine.contentsSynchronized()
    return machine
  }

  /// What a machine has kept that was told to stop, or could not publish: all of the file, with a full record.
  static func expectFullRecord(_ orders: [Order], _ machine: inout TransferMachine) -> [Order] {
    #expect(orders == [.finishWriting])
    return machine.written(written(machine, 1))
  }

  static let fittingPart = head(206, [("Content-Range", "bytes 0-1499/1500"), ("ETag", "\"v1\"")])

  // MARK: The straight way

  @Test("A new file is fetched, synced, named and published, and the row is asked before the name is given")
  func wholeFile() throws {
    var machine = try Self.machine()
    #expect(machine.start() == [.openPartial(tail: nil)])
    #expect(machine.partialOpened(length: 0, tailHash: nil) == [.request(.wholeFile)])
    #expect(machine.received(head: Self.head(200, [("Content-Length", "3")])).goesOn)
    #expect(Self.receive([1, 2, 3], into: &machine) == .take(droppingFirst: 0))
    #expect(machine.exchangeFinished(failure: nil) == [.completeWriting])
    let record = Self.written(machine, 0)
    #expect(machine.completed(length: 3, blank: record) == [.name(number: 1)])
    let file = PublishedFile(path: try LibraryPath(validating: "a.mp3"), length: 3, inode: 9)
    #expect(
      machine.named(file.path, inode: 9) == [.report(.publishing(file, kept: record)), .synchronizeContents])
    #expect(machine.contentsSynchronized().isEmpty)
    #expect(machine.proceed() == [.publish(file)])
    #expect(machine.published(true) == [.end(.finished(file))])
  }

  @Test("A name that was taken meanwhile is followed by the next, and the row is asked again")
  func takenName() throws {
    var machine = try Self.awaitingPublishing()
    _ = machine.proceed()
    #expect(machine.published(false) == [.name(number: 2)])
    let orders = machine.named(try LibraryPath(validating: "a (2).mp3"), inode: 9)
    guard case .report(.publishing(let file, _))? = orders.first else {
      Issue.record("\(orders)")
      return
    }
    #expect(file.path.description == "a (2).mp3")
    #expect(orders.count == 1, "the contents are synced once")
    #expect(machine.named(nil, inode: 9).isEmpty, "an answer that nobody waits for changes nothing")
  }

  @Test("A file gets no name before its contents are durable, however early the store agrees")
  func agreementBeforeSync() throws {
    var machine = try Self.fetched([1], declared: 1)
    _ = Self.complete(&machine, length: 1)
    let file = PublishedFile(path: try LibraryPath(validating: "a.mp3"), length: 1, inode: 9)
    _ = machine.named(file.path, inode: 9)
    #expect(machine.proceed().isEmpty)
    #expect(machine.stop().isEmpty, "the store has agreed: it is too late")
    #expect(machine.contentsSynchronized() == [.publish(file)])
    #expect(machine.published(true) == [.end(.finished(file))])
  }

  @Test(
    "A file whose contents cannot be made durable gets no name, and nothing new is promised", arguments: [true, false])
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

  @Test("What is published is promised as far as its last checkpoint: the rest is durable only under its name")
  func keptWhilePublishing() throws {
    var machine = try Self.fetched([1, 2, 3], declared: 3)
    let checkpoint = Self.written(machine, 2)
    machine.checkpointed(checkpoint)
    _ = Self.complete(&machine, length: 3)
    let file = PublishedFile(path: try LibraryPath(validating: "a.mp3"), length: 3, inode: 9)
    #expect(machine.named(file.path, inode: 9).first == .report(.publishing(file, kept: checkpoint)))
  }

  @Test("An older version's record that promises no byte is not published along with a new version")
  func recordOfOlderVersion() throws {
    var old = Self.record
    old.durable = 0
    var machine = try Self.machine(resuming: old)
    _ = machine.start()
    #expect(machine.partialOpened(length: 0, tailHash: "hash") == [.request(.wholeFile)])
    _ = machine.received(head: Self.head(200, [("Content-Length", "1"), ("ETag", "\"v2\"")]))
    _ = Self.receive([1], into: &machine)
    _ = machine.exchangeFinished(failure: nil)
    _ = Self.complete(&machine, length: 1)
    let orders = machine.named(try LibraryPath(validating: "a.mp3"), inode: 9)
    guard case .report(.publishing(_, let kept))? = orders.first else {
      Issue.record("\(orders)")
      return
    }
    #expect(kept.strongETag == "\"v2\"")
    #expect(kept.durable == 0)
  }

  @Test("A resume compares the overlap and takes only what is new")
  func resume() throws {
    var machine = try Self.resuming()
    #expect(machine.received(head: Self.fittingPart).goesOn)
    #expect(Self.receive(Array(Self.kept[..<600]), into: &machine) == .take(droppingFirst: 600))
    #expect(Self.receive(Array(Self.kept[600...]) + [1, 2], into: &machine) == .take(droppingFirst: 400))
    #expect(machine.position == 1002)
    #expect(machine.isReceiving)
  }

  // MARK: Restarts

  @Test("An overlap that differs throws nothing away before the store has agreed")
  func differentOverlap() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart)
    let (verdict, orders) = [UInt8](repeating: 8, count: 10).withUnsafeBytes { machine.received(body: $0) }
    #expect(verdict == .stop)
    #expect(orders == [.report(.restarting(discarding: 1000, because: .contentChanged))])
    #expect(machine.exchangeFinished(failure: DownloadError(.connectionLost, "")).isEmpty)
    #expect(machine.proceed() == [.truncate(to: 0), .request(.wholeFile)])
  }

  @Test("Where the store agrees before the old exchange has ended, the new one waits for that end")
  func agreementBeforeEnd() throws {
    var machine = try Self.resuming()
    let changed = Self.head(206, [("Content-Range", "bytes 0-1499/1500"), ("ETag", "\"v2\"")])
    let (goesOn, orders) = machine.received(head: changed)
    #expect(!goesOn)
    #expect(orders == [.report(.restarting(discarding: 1000, because: .validatorChanged))])
    #expect(machine.proceed() == [.truncate(to: 0)])
    #expect(machine.exchangeFinished(failure: nil) == [.request(.wholeFile)])
  }

  @Test("A whole file that answers a range waits, is let in at zero, and is the new version")
  func wholeFileSent() throws {
    var machine = try Self.resuming()
    let (goesOn, orders) = machine.received(head: Self.head(200, [("Content-Length", "4"), ("ETag", "\"v2\"")]))
    #expect(goesOn)
    #expect(orders == [.report(.restarting(discarding: 1000, because: .validatorChanged))])
    #expect(Self.receive([1, 2], into: &machine) == .wait)
    #expect(machine.proceed() == [.truncate(to: 0), .resumeExchange])
    #expect(Self.receive([1, 2], into: &machine) == .take(droppingFirst: 0))
    #expect(machine.position == 2)
    #expect(Self.written(machine, 2).strongETag == "\"v2\"")
    #expect(Self.written(machine, 2).total == 4)
  }

  @Test("A connection that dies while the store is asked is made anew")
  func deathWhileAsking() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.head(200, [("Content-Length", "4")]))
    #expect(machine.exchangeFinished(failure: DownloadError(.connectionLost, "")).isEmpty)
    #expect(machine.proceed() == [.truncate(to: 0), .request(.wholeFile)])
  }

  @Test("A partial that is not what its record says is given up before anything is asked")
  func damagedPartial() throws {
    var machine = try Self.machine(resuming: Self.record)
    _ = machine.start()
    #expect(
      machine.partialOpened(length: 1000, tailHash: "other")
        == [.report(.restarting(discarding: 1000, because: .partialDamaged))])
    #expect(machine.proceed() == [.truncate(to: 0), .request(.wholeFile)])
  }

  @Test("Bytes that no record speaks of are cut off")
  func strayBytes() throws {
    var machine = try Self.machine()
    _ = machine.start()
    #expect(machine.partialOpened(length: 12, tailHash: nil) == [.truncate(to: 0), .request(.wholeFile)])
  }

  // MARK: Ends

  @Test("A cut keeps what came and fails with what is known")
  func cut() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart)
    _ = Self.receive(Self.kept + [1], into: &machine)
    let lost = DownloadError(.connectionLost, "cut")
    #expect(machine.exchangeFinished(failure: lost) == [.finishWriting])
    let record = Self.written(machine, 1001)
    #expect(machine.written(record) == [.end(.failed(lost, kept: record))])
  }

  @Test(
    "A body that ends too early or too late is no success",
    arguments: [(2, DownloadError.Code.connectionLost), (4, .lengthMismatch)])
  func wrongLength(_ count: Int, _ code: DownloadError.Code) throws {
    var machine = try Self.fetched([UInt8](repeating: 1, count: count), declared: 3)
    guard case .end(.failed(let error, _))? = machine.written(Self.written(machine, Int64(count))).first else {
      Issue.record("it was taken for complete")
      return
    }
    #expect(error.code == code)
  }

  @Test("An empty file is no success, and nothing of it is kept")
  func emptyFile() throws {
    var machine = try Self.fetched([], declared: 0)
    guard case .end(.failed(let error, nil))? = machine.written(nil).first else {
      Issue.record("it was taken for complete")
      return
    }
    #expect(error.code == .lengthMismatch)
  }

  @Test("A partial that is shorter than what was taken is never published")
  func shrunkPartial() throws {
    var machine = try Self.fetched([1, 2, 3], declared: 3)
    guard case .end(.failed(let error, nil))? = Self.complete(&machine, length: 2).first else {
      Issue.record("it was published")
      return
    }
    #expect(error.code == .io)
  }

  @Test("A stop while receiving ends the exchange, syncs and keeps")
  func stopWhileReceiving() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart)
    _ = Self.receive(Self.kept + [1], into: &machine)
    #expect(machine.stop() == [.cancelExchange])
    #expect(machine.stop().isEmpty, "a stop can be said twice")
    #expect(Self.receive([2], into: &machine) == .stop)
    #expect(machine.exchangeFinished(failure: DownloadError(.connectionLost, "")) == [.finishWriting])
    let record = Self.written(machine, 1001)
    #expect(machine.written(record) == [.end(.stopped(kept: record))])
  }

  @Test("A stop while a restart is announced keeps nothing: the row has already forgotten it")
  func stopWhileRestarting() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.head(412))
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
    #expect(late.published(true).count == 1)
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

  @Test("A complete file whose name is taken, or that cannot be moved, is kept with a full record")
  func unpublishable() throws {
    var machine = try Self.fetched([1], declared: 1)
    let record = Self.written(machine, 1)
    _ = Self.complete(&machine, length: 1)
    let orders = Self.expectFullRecord(machine.named(nil, inode: 9), &machine)
    guard case .end(.failed(let error, let kept))? = orders.first else {
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

  @Test("After a failed sync nothing is believed but what the last record promises")
  func distrust() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart)
    _ = Self.receive(Self.kept + [1], into: &machine)
    let broken = DownloadError(.io, "broken")
    #expect(machine.synchronizationFailed() == Self.record.durable)
    #expect(machine.filesFailed(broken) == [.cancelExchange])
    #expect(machine.exchangeFinished(failure: nil) == [.finishWriting])
    var record = Self.record
    record.bootID = ResumeRecord.noBoot
    #expect(machine.filesFailed(broken) == [.end(.failed(broken, kept: record))])
  }

  @Test("A stop before anything was begun ends the attempt as soon as it begins")
  func stopBeforeStart() throws {
    var machine = try Self.machine(resuming: Self.record)
    #expect(machine.stop().isEmpty)
    #expect(machine.start() == [.end(.stopped(kept: Self.record))])
  }

  @Test("Trouble with the files ends the exchange, keeps what is on the disk, and names the trouble")
  func fileTrouble() throws {
    var machine = try Self.resuming()
    _ = machine.received(head: Self.fittingPart)
    _ = Self.receive(Self.kept + [1], into: &machine)
    let full = DownloadError(.noSpace, "full")
    #expect(machine.filesFailed(full) == [.cancelExchange])
    #expect(machine.exchangeFinished(failure: nil) == [.finishWriting])
    #expect(machine.filesFailed(full) == [.end(.failed(full, kept: Self.record))])
    #expect(machine.filesFailed(full).isEmpty)
  }
}
