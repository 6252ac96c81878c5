import Flux
import Testing

@testable import PodfluxCore

@Suite("The transfer machine, routes and limits")
struct TransferMachineRouteTests {
  private typealias Machines = TransferMachineTests

  @Test("After a redirect from loopback the attempt ends with pathRefused, and keeps its bytes")
  func pathRefused() throws {
    var machine = try Machines.resuming()
    #expect(machine.pathRefused() == [.finishWriting])
    let record = Machines.written(machine, 1000)
    #expect(machine.written(record) == [.end(.pathRefused(kept: record))])
    #expect(machine.pathRefused().isEmpty, "the attempt has ended")
  }

  @Test("With nothing kept it keeps nothing")
  func pathRefusedAtOnce() throws {
    var machine = try Machines.machine()
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    #expect(machine.pathRefused() == [.finishWriting])
    #expect(machine.written(nil) == [.end(.pathRefused(kept: nil))])
  }

  /// Regression: a length from one response counted forever.
  @Test("For a doubtful length the server is asked again, and its new head is judged before its body")
  func lengthInDoubt() throws {
    let room: Int64 = 64 << 20
    var record = Machines.record
    record.total = 9_999_999_960_000
    var machine = try Machines.machine(resuming: record)
    _ = machine.start()
    let believing = machine.partialOpened(length: 1000, tailHash: "hash", room: room)
    guard case .end(.failed(let error, let kept, _))? = believing.first else {
      Issue.record("what was just said is believed")
      return
    }
    #expect(kept == record)
    #expect(error.code == .noSpace)

    var doubting = try Machines.doubting(record)
    #expect(
      doubting.partialOpened(length: 1000, tailHash: "hash", room: room)
        == [.request(.init(rangeStart: 0, ifRange: "\"v1\""))])
    machine = doubting
    #expect(machine.received(head: Machines.fittingPart, at: Machines.now).goesOn)

    machine = doubting
    let absurd = Machines.head(206, [("Content-Range", "bytes 0-9999999959999/9999999960000"), ("ETag", "\"v1\"")])
    #expect(!machine.received(head: absurd, at: Machines.now).goesOn)
    #expect(machine.exchangeFinished(failure: .lost) == [.finishWriting])
    let again = Machines.written(machine, 1000)
    #expect(again.total == 9_999_999_960_000, "it is believed for some time")
    guard case .end(.failed(let still, let keptAgain, _))? = machine.written(again).first else {
      Issue.record("no end")
      return
    }
    #expect(keptAgain == again)
    #expect(still.code == .noSpace && still.shortBytes ?? 0 > 0)

    machine = try Machines.doubting(record, quotaLeft: 400)
    _ = machine.partialOpened(length: 1000, tailHash: "hash")
    #expect(!machine.received(head: Machines.fittingPart, at: Machines.now).goesOn, "500 bytes more, 400 left")
    machine = try Machines.doubting(record, quotaLeft: 500)
    _ = machine.partialOpened(length: 1000, tailHash: "hash")
    #expect(machine.received(head: Machines.fittingPart, at: Machines.now).goesOn)
  }

  @Test("A file that is too long for the quota is not begun, and its length is known from then on")
  func tooLongForQuota() throws {
    for (left, goesOn) in [(Int64(1500), true), (1499, false)] {
      var attempt = try Machines.machine().attempt
      attempt.doubt = .init(quotaLeft: left)
      var machine = TransferMachine(attempt: attempt, bootID: "boot")
      _ = machine.start()
      _ = machine.partialOpened(length: 0, tailHash: nil)
      let head = Machines.head(200, [("Content-Length", "1500"), ("ETag", "\"v1\"")])
      #expect(machine.received(head: head, at: Machines.now).goesOn == goesOn)
      #expect(machine.isTooLongForRoom == !goesOn)
      guard !goesOn else { continue }
      #expect(machine.exchangeFinished(failure: .lost) == [.finishWriting])
      let record = Machines.written(machine, 0)
      #expect(record.total == 1500 && record.strongETag == nil)
      guard case .end(.failed(let error, let kept, _))? = machine.written(record).first else {
        Issue.record("no end")
        return
      }
      #expect(kept == record && error.code == .noSpace && error.shortBytes == 1)
    }
  }

  @Test("A body of unknown length ends where the quota leaves no more, and what has come is kept")
  func outgrowsQuota() throws {
    var attempt = try Machines.machine().attempt
    attempt.doubt = .init(quotaLeft: 1000)
    var machine = TransferMachine(attempt: attempt, bootID: "boot")
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    #expect(machine.received(head: Machines.head(200, [("ETag", "\"v1\"")]), at: Machines.now).goesOn)
    let half = Machines.media + [UInt8](repeating: 7, count: 490)
    #expect(Machines.receive(half, into: &machine) == .take && Machines.receive(half, into: &machine) == .take)
    #expect(Machines.receive([7], into: &machine) == .stop)
    #expect(machine.exchangeFinished(failure: .lost) == [.finishWriting])
    guard case .end(.failed(let error, let kept, _))? = machine.written(Machines.written(machine, 1000)).first else {
      Issue.record("no end")
      return
    }
    #expect(error.code == .noSpace && error.shortBytes == 1 && kept?.durable == 1000)
  }

  @Test("After a crash the stores get the kept length before the request")
  func keptIsTold() throws {
    var record = Machines.record
    record.durable = 0
    var machine = try Machines.machine(resuming: record)
    _ = machine.start()
    #expect(
      machine.partialOpened(length: 1000, tailHash: "hash") == [
        .report(.reading(received: 1000, phase: .connecting)), .request(.init(rangeStart: 0, ifRange: "\"v1\"")),
      ])
  }

  @Test("A head that is too large discards no kept bytes")
  func headTooLarge() throws {
    var machine = try Machines.resuming()
    let error = DownloadError(.tooLarge, "the head of the response is refused")
    #expect(!error.isTransient && error.concernsSource)
    #expect(machine.exchangeFinished(failure: error) == [.finishWriting])
    let record = Machines.written(machine, 1000)
    #expect(machine.written(record) == [.end(.failed(error, kept: record))])
  }

  @Test("A stop before or after takes effect")
  func stopped() throws {
    var machine = try Machines.resuming()
    #expect(machine.stop() == [.cancelExchange])
    #expect(machine.pathRefused() == [.finishWriting])
    let record = Machines.written(machine, 1000)
    #expect(machine.written(record) == [.end(.stopped(kept: record))])

    machine = try Machines.resuming()
    #expect(machine.pathRefused() == [.finishWriting])
    #expect(machine.stop().isEmpty)
    #expect(machine.written(record) == [.end(.stopped(kept: record))])
  }

  @Test("A failed sync of kept bytes is a failure")
  func filesFailed() throws {
    var machine = try Machines.resuming()
    _ = machine.pathRefused()
    let error = DownloadError(.io, "the disk is gone")
    #expect(machine.filesFailed(error) == [.end(.failed(error, kept: Machines.record))])
  }

  @Test("Without storage for the last piece of a complete file the received bytes are kept")
  func noRoomAtTheEnd() throws {
    let error = DownloadError(.noSpace, "full", shortBytes: 1)
    var machine = try Machines.fetched([1, 2, 3], declared: 3)
    #expect(machine.filesFailed(error) == [.finishWriting])
    let record = Machines.written(machine, 2)
    #expect(machine.written(record) == [.end(.failed(error, kept: record))])

    machine = try Machines.fetched([1, 2, 3], declared: 3)
    #expect(machine.stop().isEmpty)
    #expect(machine.filesFailed(error) == [.finishWriting])
    #expect(machine.written(record) == [.end(.stopped(kept: record))])
  }

  @Test(
    "The reserve is left free, and never less than the library itself needs",
    arguments: [Int64(0), 5, 1 << 30])
  func reserve(reserve: Int64) throws {
    let left = max(reserve, 16 << 20)
    #expect(DownloadError.shortage(of: 10, room: left + 10, reserve: reserve) == nil)
    let error = try #require(DownloadError.shortage(of: 10, room: left + 3, reserve: reserve))
    #expect(error.code == .noSpace)
    #expect(error.shortBytes == 7)
    #expect(error.message.contains("\(left) left free \(reserve == left ? "as the reserve" : "for the library")"))
  }

  @Test("An invalid length causes no trap")
  func absurdLength() {
    #expect(DownloadError.shortage(of: .max, room: 0, reserve: 1 << 40)?.shortBytes == .max)
    #expect(DownloadError.shortage(of: .max, room: .max, reserve: 0)?.shortBytes == WritePolicy.reservedRoom)
  }

  /// A tester had 60 MB free, and 59 of 5,000 were fetched before the download waited for room.
  @Test("A file is not begun whose length was unknown, and does not fit once its server has named it")
  func namedLengthDoesNotFit() throws {
    let reserve: Int64 = 1 << 30
    for (room, goesOn) in [(reserve + (5 << 20), true), (reserve + (5 << 20) - 1, false)] {
      var machine = try Machines.machine()
      _ = machine.start()
      #expect(
        machine.partialOpened(length: 0, tailHash: nil, room: room, reserve: reserve) == [.request(.wholeFile)])
      let head = Machines.head(200, [("Content-Length", "\(5 << 20)"), ("ETag", "\"v1\"")])
      #expect(machine.received(head: head, at: Machines.now).goesOn == goesOn)
      guard !goesOn else { continue }
      #expect(machine.exchangeFinished(failure: .lost) == [.finishWriting])
      let record = Machines.written(machine, 0)
      #expect(record.total == 5 << 20, "the next attempt asks no server before there is room")
      guard case .end(.failed(let error, let kept, _))? = machine.written(record).first else {
        Issue.record("no end")
        return
      }
      #expect(kept == record)
      #expect(error.code == .noSpace && error.shortBytes == 1)
    }
  }

  @Test("A file whose kept bytes are worthless is not begun anew where it does not fit")
  func discardedDoesNotFit() throws {
    for (room, goesOn) in [(Int64(100 << 20), true), (Int64(5 << 20), false)] {
      var machine = try Machines.machine(resuming: Machines.record)
      _ = machine.start()
      _ = machine.partialOpened(length: 1000, tailHash: "another", room: room)
      _ = machine.proceed()
      let head = Machines.head(200, [("Content-Length", "\(50 << 20)"), ("ETag", "\"v2\"")])
      #expect(machine.received(head: head, at: Machines.now).goesOn == goesOn)
    }
  }

  @Test("If the rest does not fit beside the reserve it is not requested, and the error has the missing bytes")
  func restDoesNotFit() throws {
    let reserve: Int64 = 1 << 30
    var machine = try Machines.machine(resuming: Machines.record)
    _ = machine.start()
    let orders = machine.partialOpened(length: 1000, tailHash: "hash", room: reserve + 499, reserve: reserve)
    guard case .end(.failed(let error, Machines.record?, _))? = orders.first else {
      Issue.record("\(orders)")
      return
    }
    #expect(error.shortBytes == 1)
    machine = try Machines.machine(resuming: Machines.record)
    _ = machine.start()
    #expect(
      machine.partialOpened(length: 1000, tailHash: "hash", room: reserve + 500, reserve: reserve)
        == [.request(.init(rangeStart: 0, ifRange: "\"v1\""))])
  }
}
