import Foundation
import Glibc
import Testing

@testable import FileStore

@Suite("A partial file")
struct PartialFileTests {
  @Test("is appended to at its end, also after it was opened again")
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
    #expect(try again.lengthMatches(13))
    #expect(try again.read(offset: 4, count: 3) == Array("two".utf8))
    #expect(try again.read(offset: 100, count: 3).isEmpty)
  }

  @Test("can have its contents synced alone, and is synced again and again")
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

  @Test("that is longer than its row says is cut, and appending goes on there")
  func truncates() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("durable and lost")
    try file.truncate(to: 7)
    try file.append("!")
    #expect(try file.text() == "durable!")
  }

  @Test("that is shorter than its row says is seen, and cutting never makes it longer")
  func noticesMissingBytes() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("abc")
    #expect(try !file.lengthMatches(4))
    try file.truncate(to: 100)
    try file.append("d")
    #expect(try file.text() == "abcd")
  }

  @Test("that somebody cut from outside has the length that the disk has")
  func measuresTheDisk() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("abcdef")
    #expect(truncate(library.url(".podflux/partial/a.part").path, 2) == 0)
    #expect(try file.length() == 2)
    #expect(try !file.lengthMatches(6))
  }

  @Test("does nothing once it is closed")
  func staysClosed() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    file.close()
    file.close()
    let failure = FileError.io(operation: "pwritev", path: ".podflux/partial/a.part", code: EBADF)
    #expect(throws: PartialFile.AppendFailure(bytesWritten: 0, cause: failure)) { try file.append("x") }
    #expect(throws: FileError.self) { try file.length() }
  }

  @Test("takes several buffers, empty ones and more than one call can carry among them")
  func appendsBuffers() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try file.append("start")
    let bytes = (0..<3_000).map { UInt8(truncatingIfNeeded: $0) }
    try bytes.withUnsafeBytes { bytes in
      let single = bytes.indices.map { UnsafeRawBufferPointer(rebasing: bytes[$0..<$0 + 1]) }
      try file.append([UnsafeRawBufferPointer(rebasing: bytes[..<0])] + single)
      try file.append([])
    }
    #expect(try file.length() == 3_005)
    #expect(try file.read(offset: 5, count: 4_000) == bytes)
  }

  @Test("on a full device says so, and how much it could take")
  func reportsFullDevice() throws {
    let kernel = ReluctantKernel(takes: [3, nil, 2], then: ENOSPC)
    let outcome = kernel.write(["abcd", "efgh"], offset: 100)
    #expect(outcome.written == 5)
    #expect(outcome.failure == .noSpace(path: "a.part"))
    #expect(kernel.offsets == [100, 103, 103, 105])
    #expect(kernel.written == "abcde")
  }

  @Test(
    "is whole although the kernel takes less than it is given, in the middle of a buffer or at its end",
    arguments: [[1, 4, 6], [4, 7], [11], [3, 3, 3, 2], [5, nil, 1, nil, 5]])
  func goesOnAfterShortWrites(takes: [Int?]) {
    let kernel = ReluctantKernel(takes: takes, then: EIO)
    let outcome = kernel.write(["abcd", "", "e", "fghijk"], offset: 0)
    #expect(outcome.written == 11)
    #expect(outcome.failure == nil)
    #expect(kernel.written == "abcdefghijk")
  }

  @Test("gives up when the kernel takes nothing and does not say why")
  func endsLoop() {
    let outcome = ReluctantKernel(takes: [0], then: EIO).write(["a"], offset: 0)
    #expect(outcome.failure == .io(operation: "pwritev", path: "a.part", code: EIO))
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

  @Test("is deleted once, and a second time without complaint")
  func deletes() throws {
    let library = try TemporaryLibrary()
    try library.makePartial("a", "x")
    let partials = Partials(library.library)
    #expect(try partials.delete(partial("a")))
    #expect(try !partials.delete(partial("a")))
    #expect(try partials.identity(of: partial("a")) == nil)
  }

  @Test("is listed with its length, and files of others without a name")
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
}

/// In place of pwritev(2): takes so many bytes at each call, is interrupted where that is nil, and fails in the end.
private final class ReluctantKernel {
  private var takes: [Int?]
  private let code: Int32
  private(set) var offsets: [Int64] = []
  private(set) var written = ""

  init(takes: [Int?], then code: Int32) {
    self.takes = takes
    self.code = code
  }

  func write(_ texts: [String], offset: Int64) -> Descriptor.WriteOutcome {
    let bytes = Array(texts.joined().utf8)
    return bytes.withUnsafeBytes { bytes in
      var start = 0
      let buffers = texts.map { text in
        defer { start += text.utf8.count }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + text.utf8.count])
      }
      return Descriptor.writeAll(buffers, offset: offset, path: "a.part", using: take)
    }
  }

  private func take(_ buffers: UnsafeBufferPointer<iovec>, at offset: Int64) -> Int {
    offsets.append(offset)
    guard !takes.isEmpty else { return fail(code) }
    guard let count = takes.removeFirst() else { return fail(EINTR) }
    let bytes = buffers.flatMap { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len) }
    written += String(decoding: bytes.prefix(count), as: UTF8.self)
    return min(count, bytes.count)
  }

  private func fail(_ code: Int32) -> Int {
    errno = code
    return -1
  }
}
