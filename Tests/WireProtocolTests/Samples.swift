import Flux
import Foundation
import PodfluxCore
import Testing

/// Values that several tests use.
enum Samples {
  static let record = ResumeRecord(
    url: "https://example.org/a.mp3?t=1", strongETag: "\"v1\"", lastModified: "Sat, 21 Nov 2026 03:00:00 GMT",
    total: 4_194_304, durable: 1_048_576, tailHash: String(repeating: "0f", count: 32),
    bootID: "9c3fd2a0-0000-4000-8000-000000000000", savedAt: Timestamp(milliseconds: 1_795_230_000_000))

  /// An id that the test wrote well.
  static func id(_ text: String) -> DownloadID {
    guard let id = DownloadID(text) else { preconditionFailure("\(text) is no id") }
    return id
  }
}
