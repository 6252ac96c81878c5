import FileStore
import PodfluxCore

/// Finds bytes that killed attempts left in their partial files after the last checkpoint, for display: rows count only
/// synced bytes.
struct KeptBytes: Sendable {
  private let partials: Partials
  private let bootID: String

  init(_ partials: Partials, bootID: String) {
    self.partials = partials
    self.bootID = bootID
  }

  /// How many bytes the next attempt of a download would resume from, unless it finds them damaged; 0 if there are none
  /// after the row's durable ones, or a running attempt knows better. Costs one stat(2) for a download with kept bytes.
  func bytes(of download: Download, live: LiveAttempt?) -> Int64 {
    guard let record = download.progress.resume, download.mayHavePartial,
      live.map({ $0.phase == .connecting && $0.received == record.durable }) ?? true,
      let name = PartialName(download.id.description),
      // If the file cannot be read, clients see the row's value.
      let length = try? partials.identity(of: name)?.size,
      case .keep(let count) = ResumePolicy.trust(
        in: record, partialLength: length, tailHash: record.tailHash, bootID: bootID),
      count > record.durable
    else { return 0 }
    return count
  }
}
