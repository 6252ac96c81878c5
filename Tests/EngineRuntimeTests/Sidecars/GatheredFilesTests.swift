import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("Files that were fetched for tags")
struct GatheredFilesTests {
  private func source(_ number: Int, session: SessionID? = nil) throws -> GatheredFiles.Source {
    GatheredFiles.Source(address: try WebAddress("https://art.example/\(number)"), session: session)
  }

  @Test("are given once, to the sidecar of the same address and session")
  func once() throws {
    var files = GatheredFiles()
    var random = SeededGenerator(seed: 1)
    let session = SessionID(from: &random)
    files.keep([1], from: try source(1))
    files.keep([2], from: try source(2, session: session))
    files.keep([3], from: try source(1))
    #expect(files.take(try source(2)) == nil)
    #expect(files.take(try source(2, session: session)) == [2])
    #expect(files.take(try source(1)) == [3], "the last one")
    #expect(files.take(try source(1)) == nil)
  }

  @Test("are limited in number and in bytes, and the oldest go first")
  func limits() throws {
    var files = GatheredFiles()
    for number in 0...GatheredFiles.maximumFiles { files.keep([1], from: try source(number)) }
    #expect(files.take(try source(0)) == nil)
    #expect(files.take(try source(1)) == [1])
    let half = [UInt8](repeating: 1, count: GatheredFiles.maximumBytes / 2)
    files.keep(half, from: try source(1_000))
    files.keep(half, from: try source(1_001))
    #expect(files.take(try source(GatheredFiles.maximumFiles)) == nil)
    #expect(files.take(try source(1_000)) == half)
    files.keep(half + half + [1], from: try source(1_002))
    #expect(files.take(try source(1_001)) == nil)
    #expect(files.take(try source(1_002)) == nil)
  }
}
