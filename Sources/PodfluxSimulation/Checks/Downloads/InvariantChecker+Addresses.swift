import PodfluxCore

/// Checks of downloads that get another address.
extension InvariantChecker {
  /// Without its client's word a download gets another address only where its server has refused the former one, and
  /// only its episode's.
  func checkAddress(of row: Download, from before: Download, _ batch: Batch, _ world: World) throws {
    guard let wish = world.client.wishes[row.id], wish.addresses.last != row.address else { return }
    let isRefused =
      before.state.kind == .failed
      || batch.actions.contains {
        if case .attempt(let report) = $0, case .failed = report.news {
          report.attempt.download == row.id
        } else {
          false
        }
      }
    let isEpisodes = feeds.episodes.values.contains {
      $0.download == row.id && $0.content.enclosure?.address == row.address
    }
    guard isRefused, isEpisodes else {
      throw Violation(.freshAddress, "\(row.id) goes on at \(row.address) instead of \(before.address)")
    }
    world.client.follow(row)
  }

  /// A download whose server has refused it does not stay so while its episode has another address.
  func checkRefused(_ changes: Changes, _ writes: [FeedWrite]) throws {
    let refused = changes.before.keys.filter { id in
      if case .failed? = changes.before[id]??.state { false } else { true }
    }
    let changed = writes.compactMap { write -> DownloadID? in
      if case .changed(let change, _) = write { feeds.episodes[change.id]?.download } else { nil }
    }
    for id in Set(refused + changed).sorted() {
      guard let row = rows[id], case .failed(let error) = row.state, error.isRefusal,
        let episode = feeds.episodes.values.filter({ $0.download == id }).max(by: { $0.id < $1.id }),
        let address = episode.content.enclosure?.address, address != row.address,
        feeds.formerAddresses(of: episode.id).contains(row.address),
        !rows.values.contains(where: { $0.address == address }),
        // A login that failed says nothing of the address; that nothing is there any more does.
        [.notFound, .gone].contains(error.code) || row.session.map({ sessions[$0]?.state.error == nil }) ?? true
      else { continue }
      throw Violation(.freshAddress, "\(id) is refused at \(row.address), and \(episode.id) is at \(address) by now")
    }
  }
}

extension DownloadError {
  fileprivate var isRefusal: Bool { [.notFound, .gone, .forbidden, .unauthorized].contains(code) }
}
