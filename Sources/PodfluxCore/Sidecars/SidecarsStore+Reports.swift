import Flux

/// Handles the reports of fetches. A report of a fetch that has been superseded is dropped.
extension SidecarsStore {
  mutating func handle(_ fact: SidecarFact, reading context: Context, in turn: inout StoreTurn<Self>) throws {
    switch fact {
    case .fetch(let report): try handle(report, reading: context, in: &turn)
    case .deleted(let key): try finishDeletion(key, in: turn)
    case .notDeleted(let key):
      guard errands.end(key) != nil else { break }
      try turn.tables.sidecars.postpone(key)
    case .moved(let key, let folders):
      if !folders.isEmpty { turn.tell(.sidecars(.madeFolders(folders))) }
      try finishMove(key, isMoved: true, in: turn)
    case .notMoved(let key): try finishMove(key, isMoved: false, in: turn)
    case .looked(let number, let changed): try take(changed, ofRound: number, in: turn)
    }
  }

  private mutating func handle(
    _ report: SidecarReport, reading context: Context, in turn: inout StoreTurn<Self>
  ) throws {
    let key = report.fetch.sidecar
    guard let fetch = live[key], fetch.id == report.fetch else { return }
    if fetch.request?.isOverCellular == true, report.fetched > 0 {
      turn.tell(.sidecars(.fetchedOverCellular(report.fetched)))
    }
    if let grant = fetch.request?.session {
      switch report.news {
      case .publishing: turn.tell(.sidecars(.session(.accepted(grant, .sidecar(key)))))
      case .failed(let error, _):
        guard let verdict = context.sessions.verdict(on: error, of: .sidecar(key), sentWith: grant) else { break }
        turn.tell(.sidecars(.session(.refused(grant, .sidecar(key), verdict))))
        if verdict.isRefusal { break }
        // The sidecar stays due, and is fetched once its session is open.
        live[key] = nil
        mayFetch = true
        return errands.oweMore()
      case .finished, .unpublished, .stopped: break
      }
    }
    if report.news.isEnd {
      live[key] = nil
      mayFetch = true
      // Owed deletions and moves have waited for the end of the fetch.
      errands.oweMore()
    }
    guard var sidecar = try turn.tables.sidecars.find(key) else {
      if !report.news.isEnd { stop(key, in: &turn) }
      return
    }
    if report.news.isEnd { tellLeft(sidecar, in: &turn) }
    switch (report.news, sidecar.state) {
    case (.publishing(let file), .wanted), (.publishing(let file), .publishing):
      guard !fetch.isStopping else { return }
      sidecar.stem = Sidecar.stem(of: file.path)
      sidecar.state = .publishing(file, failures: sidecar.failures)
      try turn.tables.sidecars.update(sidecar)
      turn.perform(.sidecar(.proceed(fetch.id)))
    case (.publishing, _): stop(key, in: &turn)
    case (.finished(let file), .publishing):
      sidecar.state = .present(file)
      try turn.tables.sidecars.update(sidecar)
      try follow(&sidecar, in: turn)
    case (.unpublished, .publishing):
      // Nothing is left of it: it is fetched as one that never was.
      guard sidecar.mayBeFetched else { return try turn.tables.sidecars.delete(key) }
      sidecar.state = .wanted(failures: sidecar.failures, next: turn.now)
      try turn.tables.sidecars.update(sidecar)
    case (.failed(let error, let delay), .wanted), (.failed(let error, let delay), .publishing):
      try fail(sidecar, error, retryAfter: delay, in: &turn)
    case (.stopped, .publishing):
      // Nothing has the name: the next fetch looks once more.
      break
    case (.finished, _), (.unpublished, _), (.failed, _), (.stopped, _): break
    }
  }

  private func fail(
    _ sidecar: Sidecar, _ error: DownloadError, retryAfter: Int64?, in turn: inout StoreTurn<Self>
  ) throws {
    var sidecar = sidecar
    guard sidecar.mayBeFetched else { return try turn.tables.sidecars.delete(sidecar.key) }
    let mayPass = error.isTransient || error.code == .io
    let lacksRoom = error.code == .noSpace
    let failures = sidecar.failures + (lacksRoom ? 0 : 1)
    if mayPass, failures < SidecarLimits.attempts {
      let pause =
        lacksRoom
        ? SidecarLimits.waitMilliseconds
        : SidecarLimits.backoff.milliseconds(afterFailures: failures, using: &turn.random)
      let delay = max(pause, retryAfter ?? 0)
      let next = turn.now.advanced(byMilliseconds: delay)
      switch sidecar.state {
      // The file may have its name, and is looked for first.
      case .publishing(let file, _, _): sidecar.state = .publishing(file, failures: failures, next: next)
      default: sidecar.state = .wanted(failures: failures, next: next)
      }
    } else {
      sidecar.state = .failed(error.message)
    }
    try turn.tables.sidecars.update(sidecar)
  }

  /// The session of a wanted one could not log in. It may later, with another secret.
  func wait(_ sidecar: Sidecar, in turn: inout StoreTurn<Self>) throws {
    tellLeft(sidecar, in: &turn)
    guard sidecar.mayBeFetched else { return try turn.tables.sidecars.delete(sidecar.key) }
    var sidecar = sidecar
    let next = turn.now.advanced(byMilliseconds: SidecarLimits.waitMilliseconds)
    sidecar.state = .wanted(failures: sidecar.failures, next: next)
    try turn.tables.sidecars.update(sidecar)
  }
}
