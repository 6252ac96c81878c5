import Foundation
import Testing

@testable import podflux

@Suite("Reading from a descriptor that a parent has made non-blocking")
struct ReadSomeTests {
  @Test("What is not there yet is waited for, and the end is the end")
  func waits() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    _ = fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK)
    let (reader, writer) = (ends[0], ends[1])
    let thread = Thread {
      var byte: UInt8 = 7
      _ = write(writer, &byte, 1)
      close(writer)
    }
    var bytes = [UInt8](repeating: 0, count: 4)
    // The pipe is empty: without waiting, nothing could be read.
    #expect(bytes.withUnsafeMutableBytes { read(reader, $0.baseAddress, $0.count) } < 0 && errno == EAGAIN)
    thread.start()
    #expect(bytes.withUnsafeMutableBytes { readSome(from: reader, into: $0) } == 1 && bytes[0] == 7)
    #expect(bytes.withUnsafeMutableBytes { readSome(from: reader, into: $0) } == 0)
    #expect(bytes.withUnsafeMutableBytes { readSome(from: -1, into: $0) } < 0)
  }
}
