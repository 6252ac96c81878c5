import FileStore
import PodfluxCore
import Synchronization

/// Finds bytes that killed attempts left in their partial files after the last checkpoint, for display: rows count only
/// synced bytes.
final class KeptBytes: Sendable {
  private let partials: Partials
  private let bootID: String
  /// The bytes that were found first for attempts that have reported nothing yet: their partial files grow meanwhile,
  /// and clients see the same number.
  private let found = Mutex<[Attempted: Int64]>([:])
  /// How many attempts are remembered, far more than run at once.
  private static let remembered = 1024

  private struct Attempted: Hashable {
    let download: DownloadID
    let generation: Int64
  }

  init(_ partials: Partials, bootID: String) {
    self.partials = partials
    self.bootID = bootID
  }

  /// How many bytes the next attempt of a download would resume from, unless it finds them damaged; 0 if there are none
  /// after the row's durable ones, or a running attempt knows better. Costs at most one stat(2) for a download with
  /// kept bytes.
  func bytes(of download: Download, live: LiveAttempt?) -> Int64 {
    guard let record = download.progress.resume, download.mayHavePartial else { return 0 }
    guard let live else { return bytes(of: download.id, behind: record) }
    guard live.phase == .connecting, live.received == record.durable else { return 0 }
    let attempt = Attempted(download: download.id, generation: live.generation)
    if let count = found.withLock({ $0[attempt] }) { return count }
    let count = bytes(of: download.id, behind: record)
    return found.withLock { found in
      // Another reader may have looked meanwhile.
      if let first = found[attempt] { return first }
      if found.count >= Self.remembered { found = [:] }
      found[attempt] = count
      return count
    }
  }

  private func bytes(of id: DownloadID, behind record: ResumeRecord) -> Int64 {
    guard let name = PartialName(id.description),
      // If the file cannot be read, clients see the row's value.
      let length = try? partials.identity(of: name)?.size,
      case .keep(let count) = ResumePolicy.trust(
        in: record, partialLength: length, tailHash: record.tailHash, bootID: bootID),
      count > record.durable
    else { return 0 }
    return count
  }
}
