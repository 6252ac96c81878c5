import Flux
import Testing

@testable import PodfluxCore

@Suite("The transfer machine and what an attempt may use")
struct TransferMachineRouteTests {
  private typealias Machines = TransferMachineTests

  @Test("Led from loopback to elsewhere the attempt ends as refused its path, and keeps what it has")
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

  @Test("Told to stop before or after, it stops")
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

  @Test("What is kept cannot be made durable: that is a failure all the same")
  func filesFailed() throws {
    var machine = try Machines.resuming()
    _ = machine.pathRefused()
    let error = DownloadError(.io, "the disk is gone")
    #expect(machine.filesFailed(error) == [.end(.failed(error, kept: Machines.record))])
  }

  @Test("The last piece of a complete file finds no room: what is there is kept for when there is")
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
    "So much is left free as is wanted, but never less than the library itself needs",
    arguments: [Int64(0), 5, 1 << 30])
  func reserve(reserve: Int64) throws {
    let left = max(reserve, 16 << 20)
    #expect(DownloadError.shortage(of: 10, room: left + 10, reserve: reserve) == nil)
    let error = try #require(DownloadError.shortage(of: 10, room: left + 3, reserve: reserve))
    #expect(error.code == .noSpace)
    #expect(error.shortBytes == 7)
    #expect(error.message.contains("\(left) left free \(reserve == left ? "as the reserve" : "for the library")"))
  }

  @Test("A length that is no length is no trap")
  func absurdLength() {
    #expect(DownloadError.shortage(of: .max, room: 0, reserve: 1 << 40)?.shortBytes == .max)
    #expect(DownloadError.shortage(of: .max, room: .max, reserve: 0)?.shortBytes == WritePolicy.reservedRoom)
  }

  @Test("Where the rest does not fit beside the reserve nobody is asked for it, and the reason says what is missing")
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
