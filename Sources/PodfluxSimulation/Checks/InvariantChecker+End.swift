import Flux
import PodfluxCore

/// Checks after faults have stopped and all work has ended.
extension InvariantChecker {
  /// No further event will come: then nothing may wait for one.
  func checkNothingWaits() throws {
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
      case .completed(let file): try checkIntact(file, of: id, on: world.disk)
      case .failed(let error) where error.code == .fileExists: break
      // An adopted file that was lost: no origin has it.
      case .failed where row.address.host.hasSuffix(".invalid"): break
      case .failed(let error) where (error.cause ?? error.code) == .integrityMismatch && !canHaveDigest(row, world):
        break
      case .queued, .waiting, .running, .paused, .failed:
        throw Violation(.liveness, "\(id) could be completed and is \(row.state)\(row.isHeld ? ", held" : "")")
      }
    }
    guard world.process?.dispatcher.state.cleanup.owesWork == false else {
      throw Violation(.liveness, "a cleanup never ends")
    }
    guard owed.isEmpty else { throw Violation(.liveness, "deletions are owed for ever: \(owed.sorted())") }
    guard let downloads = world.process?.dispatcher.state.downloads, downloads.live.isEmpty else {
      throw Violation(.liveness, "attempts are live for ever")
    }
    try checkQuarantine(world.disk)
  }

  /// Whether any of its addresses has the content of the client's digest.
  private func canHaveDigest(_ row: Download, _ world: World) -> Bool {
    guard let integrity = row.description.integrity else { return true }
    return world.origins.contains { origin in
      guard ([row.address] + row.description.mirrors).contains(where: origin.serves) else { return false }
      return integrity.accepts(Self.digest(of: origin.current.all, integrity.algorithm))
    }
  }

  /// A cleanup has ended without later faults. One that was refused, because all files are gone, has cleaned up
  /// nothing.
  func checkOrphans(_ world: World) throws {
    guard world.process?.dispatcher.state.cleanup.last?.stage != .refused else { return }
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
      // Adopted notes count as damaged, as no media any more, once a program has only set their time.
      guard let entry = world.disk.published[path],
        entry.isForeign || entry.isDisplaced || entry.file.isDamaged || entry.file.isEdited || !entry.file.isMedia
      else {
        throw Violation(.orphans, "the published file \(path) belongs to no download")
      }
    }
  }
}

extension CleanupRun {
  /// Whether a file that was completed at a moment tells of the disk of all files: what came after a run was refused
  /// may be where nothing else is mounted.
  func isProof(_ finished: Timestamp?) -> Bool {
    guard let doubtedSince, let finished else { return true }
    return finished < doubtedSince
  }
}
