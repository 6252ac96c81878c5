import Glibc
import PodfluxCore
import Testing

@testable import FileStore

@Suite("Writing past the page cache")
struct DirectWriteTests {
  /// Memory like the transfers' blocks: aligned, and filled with bytes that show their position.
  private final class Blocks {
    private let memories: [UnsafeMutableRawBufferPointer]
    let buffers: [UnsafeRawBufferPointer]
    var bytes: [UInt8] { buffers.flatMap { Array($0) } }

    init(count: Int, of size: Int = 64 << 10, shift: Int = 0) {
      memories = (0..<count).map { number in
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size + shift, alignment: WritePolicy.page)
        for index in memory.indices { memory[index] = UInt8(truncatingIfNeeded: index &* 31 &+ number &* 7) }
        return memory
      }
      buffers = memories.map { UnsafeRawBufferPointer(rebasing: $0[shift...]) }
    }

    func append(to file: PartialFile) throws {
      try file.append(buffers)
    }

    func write(to file: Descriptor, at offset: Int64) -> Int {
      file.writeDirectly(buffers, offset: offset)
    }

    deinit {
      for memory in memories { memory.deallocate() }
    }
  }

  @Test("A file holds the bytes of direct writes and of the usual ones before and after them")
  func mixed() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    let pieces = [
      Blocks(count: 16), Blocks(count: 5, of: 60 << 10), Blocks(count: 1, of: 1000), Blocks(count: 16),
      Blocks(count: 3), Blocks(count: 8, shift: 1),
    ]
    for piece in pieces { try piece.append(to: file) }
    try file.synchronize()
    let expected = pieces.flatMap(\.bytes)
    #expect(try file.length() == Int64(expected.count))
    let contents = try file.read(offset: 0, count: expected.count + 1)
    #expect(contents == expected)
    // A file with direct writes can be truncated, and continues after the cut.
    try file.truncate(to: 100_000)
    try file.append("end")
    let rest = try file.read(offset: 99_999, count: 10)
    #expect(rest == [expected[99_999]] + Array("end".utf8))
  }

  @Test("Only many aligned blocks at an aligned offset are written directly")
  func alignment() throws {
    let library = try TemporaryLibrary()
    let file = try library.library.partialFolder.openChild("a.part", O_RDWR | O_CREAT, mode: 0o600)
    // The result depends on the test's disk: a file system without direct writes writes nothing.
    let isKnown = file.suitsDirectWrites
    let written = Blocks(count: 4).write(to: file, at: 0)
    #expect(written == 256 << 10 || !isKnown && written == 0)
    #expect(Blocks(count: 4).write(to: file, at: 4095) == 0)
    #expect(Blocks(count: 3).write(to: file, at: 0) == 0)
    #expect(Blocks(count: 8, of: 64_000).write(to: file, at: 0) == 0)
    #expect(Blocks(count: 8, shift: 512).write(to: file, at: 0) == 0)
    // The same descriptor does other writes the usual way.
    let outcome = [UInt8](repeating: 1, count: 3).withUnsafeBytes { file.write($0, offset: 1) }
    #expect(outcome.failure == nil && outcome.written == 3)
  }

  @Test("A file that another program has changed accepts no append")
  func changedOutside() throws {
    let library = try TemporaryLibrary()
    let file = try Partials(library.library).open(partial("a"))
    try Blocks(count: 16).append(to: file)
    try library.write("shorter", to: ".podflux/partial/a.part")
    #expect(throws: PartialFile.AppendFailure.self) { try Blocks(count: 16).append(to: file) }
  }
}
