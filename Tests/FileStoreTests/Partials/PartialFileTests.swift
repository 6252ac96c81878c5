import Flux
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FileStore

@Suite("A partial file")
struct PartialFileTests {
  @Test("accepts appends at its end, also after it was opened again")
  func appends() throws {
    let library = try TemporaryLibrary()
    let partials = Partials(library.library)
    let file = try partials.open(partial("ep:1"))
    try file.append("one ")
    try file.append("two ")
    try file.synchronize()
    file.close()
    let again = try partials.open(partial("ep:1"), mode: .existing)
    try again.append("three")
    #expect(try again.text() == "one two three")
    #expect(try again.length() == 13)
    #expect(try again.read(offset: 4, count: 3) == Array("two".utf8))
    #expect(try again.read(offset: 100, count: 3).isEmpty)
  }

  @Test("is deleted when it is closed without a byte, and only then, and only itself")
  func emptyClose() throws {
    let library = try TemporaryLibrary()
    let partials = Partials(library.library)
    func isThere(_ name: String) throws -> Bool { try partials.identity(of: partial(name)) != nil }
    let empty = try partials.open(partial("empty"))
    empty.close(deletingEmpty: true)
    empty.close(deletingEmpty: true)
    #expect(try !isThere("empty"))
    // A later attempt closes a file that has kept its bytes, or lost them.
    try partials.open(partial("full")).append("bytes")
    let full = try partials.open(partial("full"))
    full.close(deletingEmpty: true)
    #expect(try isThere("full"))
    let cut = try partials.open(partial("full"))
    try cut.truncate(to: 0)
    cut.close(deletingEmpty: true)
    #expect(try !isThere("full"))
    try partials.open(partial("kept")).close()
    #expect(try isThere("kept"), "unless that is wanted")
    // Another program's file in its place is another file.
    let replaced = try partials.open(partial("replaced"))
    try partials.delete(partial("replaced"))
    try partials.open(partial("replaced")).close()
    replaced.close(deletingEmpty: true)
    #expect(try isThere("replaced"))
  }

  @Test("knows its beginning as it has written it, in pieces of any size, also after it was truncated")
  func beginning() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    var all: [UInt8] = []
    for number in 0..<900 {
      let piece = (0..<7).map { UInt8((number * 7 + $0) % 251) }
      try file.append(String(decoding: piece.map { $0 & 127 }, as: UTF8.self))
      all += piece.map { $0 & 127 }
    }
    #expect(try file.read(offset: 0, count: 4096) == Array(all.prefix(4096)))
    #expect(try file.read(offset: 0, count: 10) == Array(all.prefix(10)))
    #expect(try file.read(offset: 0, count: 5000) == Array(all.prefix(5000)), "more than is kept")
    try file.truncate(to: 100)
    #expect(try file.read(offset: 0, count: 4096) == Array(all.prefix(100)))
    try file.append("and other bytes")
    #expect(try file.read(offset: 0, count: 4096) == Array(all.prefix(100)) + Array("and other bytes".utf8))
    try file.truncate(to: 0)
    #expect(try file.read(offset: 0, count: 4096).isEmpty)
    try file.append("new")
    #expect(try file.text() == "new")
    file.close()
    #expect(throws: FileError.self) { try file.read(offset: 0, count: 1) }
    let again = try Partials(library.library).open(partial("a"), mode: .existing)
    try again.append("er")
    #expect(try again.read(offset: 0, count: 4096) == Array("newer".utf8))
  }

  @Test(
    "keeps the modification time that it was given, also after reads",
    arguments: [
      0, 999, 1_772_310_600_123, 4_102_444_800_000,
    ] as [Int64])
  func setsModificationTime(milliseconds: Int64) throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("all of it")
    #expect(try file.setModificationTime(Timestamp(milliseconds: milliseconds)))
    try file.synchronizeContents()
    #expect(try file.text() == "all of it")
    file.close()
    var status = stat()
    #expect(stat(library.library.path + "/.podflux/partial/a.part", &status) == 0)
    #expect(status.st_mtim.tv_sec == milliseconds / 1000)
    #expect(status.st_mtim.tv_nsec == Int(milliseconds % 1000) * 1_000_000)
    #expect(throws: FileError.self) { try file.setModificationTime(Timestamp(milliseconds: 0)) }
  }

  @Test("can sync its contents alone, and repeatedly")
  func synchronizes() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("one")
    try file.synchronizeContents()
    for _ in 0..<2 {
      try file.append("more")
      try file.synchronize()
    }
    file.close()
    #expect(throws: FileError.self) { try file.synchronizeContents() }
    #expect(throws: FileError.self) { try file.synchronize() }
  }

  @Test("that is longer than its row says is truncated, and appends continue there")
  func truncates() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("durable and lost")
    try file.truncate(to: 7)
    try file.append("!")
    #expect(try file.text() == "durable!")
  }

  @Test("that is shorter than its row says is detected, and truncating never extends it")
  func noticesMissingBytes() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("abc")
    #expect(try file.length() != 4)
    try file.truncate(to: 100)
    try file.append("d")
    #expect(try file.text() == "abcd")
  }

  @Test("that another program truncated has the length on the disk")
  func measuresTheDisk() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("abcdef")
    #expect(truncate(library.url(".podflux/partial/a.part").path, 2) == 0)
    #expect(try file.length() == 2)
    #expect(try file.length() != 6)
  }

  @Test("does nothing once it is closed")
  func staysClosed() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    file.close()
    file.close()
    let failure = FileError.io(operation: "pwrite", path: ".podflux/partial/a.part", code: EBADF)
    #expect(throws: PartialFile.AppendFailure(bytesWritten: 0, cause: failure)) { try file.append("x") }
    #expect(throws: FileError.self) { try file.length() }
  }

  @Test("on a full device fails with the number of bytes written")
  func reportsFullDevice() throws {
    let bytes = Array("abcdefgh".utf8)
    var calls: [Int64] = []
    let outcome = bytes.withUnsafeBytes { bytes in
      Descriptor.writeAll(bytes, offset: 100, path: "a.part") { rest, offset in
        calls.append(offset)
        switch calls.count {
        case 1: return min(rest.count, 3)
        case 2: errno = EINTR
        case 3: return min(rest.count, 2)
        default: errno = ENOSPC
        }
        return -1
      }
    }
    #expect(outcome.written == 5)
    #expect(outcome.failure == .noSpace(path: "a.part"))
    #expect(calls == [100, 103, 103, 105])
  }

  @Test("fails when the kernel writes nothing without an error")
  func endsLoop() {
    let outcome = [UInt8(1)].withUnsafeBytes { Descriptor.writeAll($0, offset: 0, path: "a") { _, _ in 0 } }
    #expect(outcome.failure == .io(operation: "pwrite", path: "a", code: EIO))
  }

  @Test("is refused when a link or a folder is in its place")
  func refusesOthers() throws {
    let library = try TemporaryLibrary()
    try library.write("precious", to: "other")
    try library.link(".podflux/partial/a.part", to: "../../other")
    try library.write("x", to: ".podflux/partial/b.part/x")
    let partials = Partials(library.library)
    #expect(throws: FileError.symbolicLink(path: ".podflux/partial/a.part")) { try partials.open(partial("a")) }
    #expect(throws: FileError.self) { try partials.open(partial("b")) }
    #expect(throws: FileError.notARegularFile(path: ".podflux/partial/b.part")) { try partials.delete(partial("b")) }
    #expect(throws: FileError.notFound(path: ".podflux/partial/c.part")) {
      try partials.open(partial("c"), mode: .existing)
    }
    #expect(try library.contents("other") == "precious")
  }

  @Test("is deleted once, and a second deletion is no error")
  func deletes() throws {
    let library = try TemporaryLibrary()
    try library.makePartial("a", "x")
    let partials = Partials(library.library)
    #expect(try partials.delete(partial("a")))
    #expect(try !partials.delete(partial("a")))
    #expect(try partials.identity(of: partial("a")) == nil)
  }

  @Test("is listed with its length, and other programs' files without a name")
  func lists() throws {
    let library = try TemporaryLibrary()
    let identity = try library.makePartial("a", "abc")
    try library.write("12345", to: ".podflux/partial/foreign file")
    try library.link(".podflux/partial/link.part", to: "a.part")
    try library.write("x", to: ".podflux/partial/folder/x")
    let listing = try Partials(library.library).list()
    var entries: [PartialListing.Entry] = []
    while let entry = try listing.next() { entries.append(entry) }
    entries.sort { $0.fileName < $1.fileName }
    #expect(entries.map(\.fileName) == ["a.part", "foreign file"])
    #expect(entries.map(\.name) == [try partial("a"), nil])
    #expect(entries.map(\.identity.size) == [3, 5])
    #expect(entries.first?.identity == identity)
  }

  @Test(
    "has a name of letters, digits and a few signs",
    arguments: ["", ".a", "a/b", "a b", "é", "a\0", "..", String(repeating: "a", count: 129)])
  func refusesNames(text: String) {
    #expect(PartialName(text) == nil)
    #expect(PartialName("A-z_0.9:" + String(repeating: "a", count: 120)) != nil)
  }

  @Test("A sync that has failed once fails forever: the kernel keeps no data for a second try")
  func failedSync() throws {
    let library = try TemporaryLibrary()
    let folder = library.library.partialFolder
    let isBroken = Atomic(true)
    let file = try PartialFile(
      folder.openChild("a.part", O_RDWR | O_CREAT, mode: 0o600), named: "a.part", in: folder,
      syncs: library.library.folderSyncs,
      syncContents: { _ in
        guard isBroken.load(ordering: .relaxed) else { return 0 }
        errno = EIO
        return -1
      })
    try file.append("text")
    let failure = FileError.io(operation: "fdatasync", path: folder.pathOfChild("a.part"), code: EIO)
    #expect(throws: failure) { try file.synchronize() }
    isBroken.store(false, ordering: .relaxed)
    #expect(throws: failure) { try file.synchronizeContents() }
    #expect(throws: PartialFile.AppendFailure(bytesWritten: 0, cause: failure)) { try file.append("more") }
    try file.truncate(to: 1)
    #expect(throws: failure) { try file.synchronize() }
  }
}
