import Flux
import PodfluxCore

/// Checks of links, unreadable folders, strays and expired quarantine.
extension InvariantChecker {
  /// The engine takes a file away.
  func willTouch(_ path: String, on disk: SimulatedDisk) throws {
    guard disk.cover(over: path) == nil, !disk.links.contains(path) else {
      throw Violation(.links, "\(path) is taken away, and is behind a link or in an unreadable folder")
    }
  }

  /// The cleanup quarantines a stray among the partial files.
  func willTakeStray(_ name: String, _ errand: SimulatedFiles.Errand, on disk: SimulatedDisk) throws {
    if let id = DownloadID(name), disk.partials[id] != nil {
      throw Violation(.strays, "the partial file of \(name) is put aside as a stray")
    }
    guard case .step(let step) = errand, handedSteps[step.key]?.options.orphans.mayTake == true else {
      throw Violation(.strays, "the stray \(name) is quarantined without a request")
    }
  }

  /// A file in quarantine is deleted.
  func willDeleteForGood(
    _ item: SimulatedDisk.QuarantinedFile, _ errand: SimulatedFiles.Errand, at world: World
  ) throws {
    let days: Int
    switch errand {
    case .upkeep(let ordered): days = ordered
    case .step(let step): days = quarantineDays[handedRuns[step.key] ?? 0] ?? 0
    case .reading, .deletion, .sidecar: days = 0
    }
    guard days > 0, item.at.advanced(byDays: days) <= max(latestWall, world.clock.wall) else {
      throw Violation(.quarantineDays, "\(item.name) leaves the quarantine before its \(days) days")
    }
    quarantined.removeAll { $0 === item.file }
  }
}
