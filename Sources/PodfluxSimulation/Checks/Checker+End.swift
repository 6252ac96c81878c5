import PodfluxCore

/// What must be left when faults have stopped and everything has come to rest.
extension Checker {
  /// Nothing more happens by itself: then nothing may wait for something to happen.
  func checkNobodyWaits() throws {
    for id in rows.keys.sorted() {
      guard let state = rows[id]?.state, [.queued, .waiting, .running].contains(state.kind) else { continue }
      throw Violation(.liveness, "\(id) is \(state), and nothing will ever happen to it")
    }
  }

  func checkRest(of world: World) throws {
    try compareWithTables(world)
    for id in rows.keys.sorted() {
      guard let row = rows[id] else { continue }
      switch row.state {
      case .completed: break
      case .failed(let error) where error.code == .fileExists: break
      case .queued, .waiting, .running, .paused, .failed:
        throw Violation(.liveness, "\(id) could be completed and is \(row.state)\(row.isHeld ? ", held" : "")")
      }
    }
    guard owed.isEmpty else { throw Violation(.liveness, "deletions are owed for ever: \(owed.sorted())") }
    guard let downloads = world.incarnation?.dispatcher.state.downloads, downloads.live.isEmpty else {
      throw Violation(.liveness, "attempts are live for ever")
    }
    try checkOrphans(world)
  }

  private func checkOrphans(_ world: World) throws {
    for id in world.disk.partialNames {
      guard let row = rows[id], row.state.kind == .failed else {
        throw Violation(.orphans, "the partial file of \(id) belongs to nothing")
      }
    }
    let owned = Set(
      rows.values.compactMap { row -> String? in
        if case .completed(let file) = row.state { file.path.description } else { nil }
      })
    for path in world.disk.published.keys.sorted() where !owned.contains(path) {
      guard world.disk.published[path]?.isForeign == true else {
        throw Violation(.orphans, "the published file \(path) belongs to no download")
      }
    }
  }
}
