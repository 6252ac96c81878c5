import PodfluxClient
import PodfluxCore
import Terminal

/// How followed downloads look.
extension DownloadFollower {
  package var summary: TransferSummary {
    let rows = rows
    return TransferSummary(
      done: done, of: count, failed: failures.count,
      received: doneBytes.addingClamped(rows.receivedBytes),
      total: unlisted == 0 ? rows.totalBytes.map(doneBytes.addingClamped) : nil,
      bytesPerSecond: rows.reduce(0) { $0.addingClamped($1.rate) })
  }
}

/// Sums over downloads. A feed may claim any length, and a sum beyond the largest number is that one.
extension Sequence<DownloadItem> {
  /// The bytes that have come.
  package var receivedBytes: Int64 { reduce(0) { $0.addingClamped($1.bytes.received) } }

  /// The bytes that all have at their ends; nil if the length of one is unknown.
  package var totalBytes: Int64? {
    reduce(0) { sum, item in
      guard let sum, let bytes = item.bytes.total else { return nil }
      return sum.addingClamped(bytes)
    }
  }
}

extension DownloadFollower.Settled {
  /// What people call it.
  package var name: String { item?.name ?? id }

  /// Its last row; nil if it was removed by others.
  package var row: TransferRow? {
    let (podcast, name) = (item?.podcast ?? "", item?.name)
    switch outcome {
    case .done(let path, let bytes):
      let title = name ?? path.split(separator: "/").last.map(String.init) ?? id
      return TransferRow(podcast: podcast, title: title, state: .done(bytes: bytes, path: path))
    case .failed(let failure): return TransferRow(podcast: podcast, title: name ?? id, state: .failed(failure.words))
    case .waits(let words): return TransferRow(podcast: podcast, title: name ?? id, state: .waiting(words))
    case .left: return nil
    }
  }
}
