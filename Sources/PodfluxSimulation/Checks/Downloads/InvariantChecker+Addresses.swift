import PodfluxCore

/// Checks of downloads that get another address.
extension InvariantChecker {
  /// Without its client's word a download gets another address only where an attempt at the former one has failed, and
  /// only its episode's.
  func checkAddress(of row: Download, from before: Download, _ batch: Batch, _ world: World) throws {
    guard let wish = world.client.wishes[row.id], wish.addresses.last != row.address else { return }
    let hasFailed =
      before.state.failure != nil
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
    guard hasFailed, isEpisodes else {
      throw Violation(.freshAddress, "\(row.id) goes on at \(row.address) instead of \(before.address)")
    }
    world.client.follow(row)
  }

  /// A download that could not be fetched does not stay so while its episode has another address.
  func checkRefused(_ changes: Changes, _ writes: [FeedWrite]) throws {
    let failed = changes.before.keys.filter { changes.before[$0]??.state.failure == nil }
    let changed = writes.compactMap { write -> DownloadID? in
      if case .changed(let change, _) = write { feeds.episodes[change.id]?.download } else { nil }
    }
    for id in Set(failed + changed).sorted() {
      guard let row = rows[id], let error = row.state.failure, error.isOfItsAddress,
        row.freshAddresses < PodcastsStore.Limits.freshAddresses, row.state.kind == .failed || row.failures > 1,
        let episode = feeds.episodes.values.filter({ $0.download == id }).max(by: { $0.id < $1.id }),
        let address = episode.content.enclosure?.address, address != row.address,
        feeds.formerAddresses(of: episode.id).contains(row.address),
        !rows.values.contains(where: { $0.address == address }),
        // A login that failed says nothing of the address.
        ![.unauthorized, .forbidden].contains(error.code)
          || row.session.map({ sessions[$0]?.state.error == nil }) ?? true
      else { continue }
      throw Violation(.freshAddress, "\(id) has failed at \(row.address), and \(episode.id) is at \(address) by now")
    }
  }
}

extension DownloadError {
  fileprivate var isOfItsAddress: Bool {
    [.notFound, .gone, .forbidden, .unauthorized, .unknownHost, .connectFailed, .timeout, .connectionLost, .httpStatus]
      .contains(code == .retriesExhausted ? cause : code)
  }
}
