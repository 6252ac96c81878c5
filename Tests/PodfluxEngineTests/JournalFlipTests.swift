import Foundation
import PodfluxCore
import Testing

@testable import PodfluxEngine

@Suite("A flipped bit in a journal")
struct JournalFlipTests {
  private static let journal = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/journals/sealed.journal")
  /// One of this many bits is tried: no divisor of 8.
  private static let stride = 499

  /// A journal with a kill in the middle: the last line before a start may be truncated.
  @Test("is refused, wherever it is, also in line feeds and before a start")
  func flips() throws {
    let whole = try Data(contentsOf: Self.journal)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("podflux-flips-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("journal").path
    func replay(_ journal: Data) throws {
      try journal.write(to: URL(fileURLWithPath: path))
      _ = try JournalReplay.snapshot(of: .init(journal: path), SnapshotQuery())
    }
    try replay(whole)
    let feeds = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }.map { $0 * 8 + $0 % 8 }
    for place in feeds + Array(Swift.stride(from: 0, to: whole.count * 8, by: Self.stride)) {
      var flipped = whole
      flipped[place / 8] ^= 1 << UInt8(place % 8)
      #expect(throws: JournalError.self, "bit \(place % 8) of byte \(place / 8)") { try replay(flipped) }
    }
    // A truncated last line, as after the end of a process, is no error.
    try replay(whole.dropLast(9))
  }
}
