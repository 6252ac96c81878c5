import PodfluxCore
import TestSupport
import Testing

@testable import EngineRuntime

@Suite("The buffer of what has arrived")
struct WriteBufferTests {
  private static let capacity = 4 * Block.size

  private func buffer(holding count: Int) -> WriteBuffer {
    var buffer = WriteBuffer(capacity: Self.capacity, memory: FakeMemory())
    [UInt8](repeating: 7, count: count).withUnsafeBytes { buffer.append($0) }
    return buffer
  }

  private func length(_ piece: [Block]?) -> Int? { piece?.reduce(0) { $0 + $1.bytes.count } }

  @Test("A full one gives whole pages; what is behind the last stays for the next piece")
  func wholePages() throws {
    var buffer = buffer(holding: Self.capacity + 1000)
    let taken = buffer.takePiece(evenIfSmall: false)
    let piece = try #require(taken)
    #expect(length(piece) == Self.capacity)
    // Not while that one is being written.
    let (another, all) = (buffer.takePiece(evenIfSmall: true), buffer.takeAll())
    #expect(another == nil && all == nil)
    #expect(buffer.hasRoom(for: Self.capacity - 1000))
    #expect(!buffer.hasRoom(for: Self.capacity - 999))
    buffer.giveBack(piece)
    let (full, small) = (buffer.takePiece(evenIfSmall: false), buffer.takePiece(evenIfSmall: true))
    #expect(full == nil)
    #expect(length(small) == 1000)
  }

  @Test(
    "One that is not full gives nothing, unless a little will do",
    arguments: [
      (0, nil), (1, 1), (1000, 1000), (WritePolicy.page, WritePolicy.page), (WritePolicy.page + 1, WritePolicy.page),
      (Block.size + 5, Block.size), (2 * Block.size - 1, 2 * Block.size - WritePolicy.page),
    ] as [(Int, Int?)])
  func small(count: Int, taken: Int?) {
    var buffer = buffer(holding: count)
    let (full, small) = (buffer.takePiece(evenIfSmall: false), buffer.takePiece(evenIfSmall: true))
    #expect(full == nil)
    #expect(length(small) == taken)
  }

  @Test("With pieces of any size, the bytes come out as they went in, and a piece of more than a page is one of pages")
  func order() throws {
    var random = SeededRandom(seed: 3)
    var buffer = WriteBuffer(capacity: Self.capacity, memory: FakeMemory())
    var (went, came): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<400 {
      let bytes = (0..<Int.random(in: 1...40_000, using: &random)).map {
        UInt8(truncatingIfNeeded: went.count &+ $0 &* 31)
      }
      bytes.withUnsafeBytes { buffer.append($0) }
      went += bytes
      guard let piece = buffer.takePiece(evenIfSmall: Bool.random(using: &random)) else { continue }
      came += piece.flatMap { Array($0.bytes) }
      let length = length(piece) ?? 0
      #expect(length.isMultiple(of: WritePolicy.page) || length < WritePolicy.page)
      buffer.giveBack(piece)
    }
    came += (buffer.takeAll() ?? []).flatMap { Array($0.bytes) }
    #expect(came == went)
  }

  @Test("All of it can be taken at once", arguments: [1, 1000, Block.size, 2 * Block.size + 5])
  func all(count: Int) {
    var buffer = buffer(holding: count)
    let (all, rest) = (buffer.takeAll(), buffer.takeAll())
    #expect(length(all) == count)
    #expect(rest == nil)
  }

  @Test("Its blocks are aligned as direct writes want them")
  func alignment() throws {
    var buffer = buffer(holding: 3 * Block.size)
    let taken = buffer.takeAll()
    let blocks = try #require(taken)
    #expect(blocks.allSatisfy { Int(bitPattern: $0.bytes.baseAddress).isMultiple(of: WritePolicy.page) })
  }
}
