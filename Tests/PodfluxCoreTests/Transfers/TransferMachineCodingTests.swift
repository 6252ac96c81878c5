import Flux
import Testing

@testable import PodfluxCore

@Suite("The transfer machine and unrequested codings")
struct TransferMachineCodingTests {
  private typealias Machines = TransferMachineTests

  @Test(
    "gzip, deflate and brotli can be decoded, others not, nor several",
    arguments: [
      ("gzip", .gzip), ("X-GZIP", .gzip), ("Deflate", .deflate), ("identity", nil), ("", nil),
      ("BR", .brotli),
      ("zstd", nil),
      ("gzip, gzip", nil), ("gzip, br", nil),
    ] as [(String, ContentCoding?)])
  func codings(name: String, coding: ContentCoding?) {
    #expect(Machines.head(200, [("Content-Encoding", name)]).contentCoding == coding)
    #expect(Machines.head(200, [("Content-Encoding", name), ("content-encoding", name)]).contentCoding == nil)
  }

  @Test("A coded file is stored decoded: neither its length nor its tag describe the file")
  func whole() throws {
    var machine = try Machines.machine()
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    let head = Machines.head(
      200, [("Content-Encoding", "gzip"), ("Content-Length", "2"), ("ETag", "\"v1\""), ("Last-Modified", "a day")])
    #expect(machine.received(head: head, at: Machines.now).goesOn)
    #expect(machine.coding == .gzip)
    #expect(Machines.receive([1, 2, 3], into: &machine) == .take)
    let record = Machines.written(machine, 3)
    #expect(record.total == nil && record.strongETag == nil && !record.isDateStrong && record.lastModified == "a day")
    #expect(machine.exchangeFinished(failure: nil) == [.completeWriting])
  }

  @Test("A part of a coded file is useless: the machine requests the whole file, and compares it with the kept bytes")
  func part() throws {
    var machine = try Machines.resuming()
    let part = Machines.head(
      206, [("Content-Encoding", "gzip"), ("Content-Range", "bytes 0-1499/1500"), ("ETag", "\"v1\"")])
    #expect(!machine.received(head: part, at: Machines.now).goesOn)
    #expect(machine.exchangeFinished(failure: .lost) == [.request(.wholeFile)])
    #expect(machine.received(head: Machines.head(200, [("Content-Encoding", "gzip")]), at: Machines.now).goesOn)
    #expect(machine.comparison == KeptComparison(from: 0, to: 1000))
  }

  @Test("A decoding error ends the exchange, and discards no kept bytes")
  func damaged() throws {
    var machine = try Machines.resuming()
    _ = machine.received(head: Machines.head(200, [("Content-Encoding", "gzip")]), at: Machines.now)
    let error = DownloadError(.notMedia, "damaged")
    #expect(machine.decodingFailed(error) == .stop)
    #expect(machine.exchangeFinished(failure: .lost) == [.finishWriting])
    let record = Machines.written(machine, 1000)
    #expect(machine.written(record) == [.end(.failed(error, kept: record))])
  }

  @Test("A body that decodes beyond the limit is discarded")
  func bomb() throws {
    var machine = try Machines.machine()
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    _ = machine.received(head: Machines.head(200, [("Content-Encoding", "gzip")]), at: Machines.now)
    _ = Machines.receive(Machines.media, into: &machine)
    #expect(machine.decodingFailed(DownloadError(.tooLarge, "a bomb")) == .stop)
    #expect(machine.exchangeFinished(failure: .lost) == [.finishWriting])
    #expect(
      machine.written(Machines.written(machine, 10)) == [.report(.restarting(discarding: 10, because: .tooLarge))])
  }

  @Test("Other codings fail as no media")
  func unknown() throws {
    var machine = try Machines.machine()
    _ = machine.start()
    _ = machine.partialOpened(length: 0, tailHash: nil)
    #expect(!machine.received(head: Machines.head(200, [("Content-Encoding", "zstd")]), at: Machines.now).goesOn)
    #expect(machine.exchangeFinished(failure: .lost) == [.finishWriting])
    guard case .end(.failed(let error, nil, _))? = machine.written(nil).first else {
      Issue.record("no end")
      return
    }
    #expect(error.code == .notMedia)
  }
}
