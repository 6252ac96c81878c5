import Testing

@testable import Transfers

@Suite("Bytes between the curl thread and an operation")
struct ArrivedBytesTests {
  @Test("Bytes that come one by one are joined to pieces, in their order", arguments: [1, 7, 1_000, 65_536, 100_000])
  func joined(count: Int) {
    var arrived = ArrivedBytes()
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var pieces = 0
    for start in stride(from: 0, to: bytes.count, by: count) {
      let part = Array(bytes[start..<min(start + count, bytes.count)])
      if part.withUnsafeBytes({ arrived.add($0) }) { pieces += 1 }
    }
    #expect(pieces <= bytes.count / ArrivedBytes.pieceBytes + 1)
    let taken = (0..<pieces).map { _ in arrived.take() }
    #expect(taken.flatMap(\.self) == bytes)
    #expect(taken.allSatisfy { $0.count < ArrivedBytes.pieceBytes + count })
    #expect(arrived.take().isEmpty)
  }

  @Test("Bytes that come behind a piece that was taken begin another one")
  func taken() {
    var arrived = ArrivedBytes()
    for byte in UInt8(1)...3 {
      let begins = withUnsafeBytes(of: byte) { arrived.add($0) }
      #expect(begins)
      #expect(arrived.take() == [byte])
    }
  }
}
