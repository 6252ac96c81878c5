import PodfluxClient
import Terminal

/// How followed downloads look.
extension DownloadFollower {
  package var summary: TransferSummary {
    let rows = rows
    let totals = rows.map(\.bytes.total)
    let isWhole = unlisted == 0 && !totals.contains(nil)
    return TransferSummary(
      done: done, of: count, failed: failures.count,
      received: doneBytes + rows.reduce(0) { $0 + $1.bytes.received },
      total: isWhole ? doneBytes + totals.reduce(0) { $0 + ($1 ?? 0) } : nil,
      bytesPerSecond: rows.reduce(0) { $0 + $1.rate })
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
