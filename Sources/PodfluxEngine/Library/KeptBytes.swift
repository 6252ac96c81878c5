import FileStore
import PodfluxCore

/// What attempts that were cut off by a kill have left in their partial files, beyond what the rows know: looked up for what
/// is shown, since rows promise only what is on the device.
struct KeptBytes: Sendable {
  private let partials: Partials
  private let bootID: String

  init(_ partials: Partials, bootID: String) {
    self.partials = partials
    self.bootID = bootID
  }

  /// How many bytes the next attempt of a download would go on with, unless it finds them damaged; 0 where there is none
  /// beyond the row's, or an attempt knows better. Costs one stat(2) for a download of which something is kept.
  func bytes(of download: Download, live: LiveAttempt?) -> Int64 {
    guard let record = download.progress.resume, download.mayHavePartial,
      live.map({ $0.phase == .connecting && $0.received == record.durable }) ?? true,
      let name = PartialName(download.id.description),
      // What cannot be looked at is shown as the row has it.
      let length = try? partials.identity(of: name)?.size,
      case .keep(let count) = ResumePolicy.trust(
        in: record, partialLength: length, tailHash: record.tailHash, bootID: bootID),
      count > record.durable
    else { return 0 }
    return count
  }
}
