import FileStore
import Flux
import TestSupport
import Testing

@testable import PodfluxCore
@testable import PodfluxEngine

/// A tester's snapshots had other numbers than the observation on the same connection: between the two the file had
/// grown.
@Suite("Bytes that a killed attempt has left")
struct KeptBytesTests {
  @Test("are shown as they were found first, for an attempt that has reported nothing")
  func growing() throws {
    let folder = try TemporaryFolder()
    let partials = Partials(try Library.open(at: folder.path))
    let kept = KeptBytes(partials, bootID: "boot")
    let id = try #require(DownloadID("a"))
    let file = try partials.open(try #require(PartialName("a")))
    defer { file.close() }
    func grow(by count: Int) throws {
      try [UInt8](repeating: 7, count: count).withUnsafeBytes { try file.append([$0]) }
    }
    let record = ResumeRecord(
      url: "https://a.example/1", strongETag: "\"v\"", lastModified: nil, total: 100, durable: 5, tailHash: "hash",
      bootID: "boot", savedAt: Timestamp(milliseconds: 0))
    let address = try WebAddress("https://a.example/1")
    var download = Download(
      id: id, address: address, description: .init(), rank: .init(priority: .normal, position: 0), origin: .user,
      state: .queued, progress: .init(durable: 5, total: 100, resume: record), failures: 0,
      dates: .init(added: Timestamp(milliseconds: 0), started: Timestamp(milliseconds: 0)), isHeld: false)
    try grow(by: 10)
    #expect(kept.bytes(of: download, live: nil) == 10)
    download.state = .running(.connecting)
    for generation: Int64 in 1...2 {
      let attempt = Attempt(
        id: AttemptID(download: id, generation: generation), address: address, description: .init(), origin: .user,
        resume: record, settings: Settings())
      var live = LiveAttempt(
        attempt, policy: .inherit, path: NetworkPath(status: .online), needsPath: true, expected: 0)
      let first = kept.bytes(of: download, live: live)
      #expect(first == 10 * generation)
      try grow(by: 10)
      #expect(kept.bytes(of: download, live: live) == first)
      live.received = first
      #expect(kept.bytes(of: download, live: live) == 0, "the attempt knows better")
    }
  }
}
