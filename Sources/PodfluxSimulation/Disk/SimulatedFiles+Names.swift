import EngineRuntime
import FileNames
import PodfluxCore

/// Names of files on the simulated disk, and moves from one to another.
extension SimulatedFiles {
  func candidate(for facts: PublishingFacts, number: Int) throws(FileSystemFailure) -> LibraryPath? {
    let isPortable = facts.settings.portableNames
    do throws(LibraryPathError) {
      let path = try FileNaming(World.namingFacts(facts), portably: isPortable).candidate(number: number)
      return isPortable ? try LibraryPath(validating: disk.spelled(path.description)) : path
    } catch {
      throw FileSystemFailure("\(error)")
    }
  }

  func occupant(of path: LibraryPath, portably: Bool) throws(FileSystemFailure) -> EntryPath? {
    try enter()
    guard world.sabotage != .renameReplaces, world.sabotage != .sidecarReplaces else { return nil }
    let path = path.description
    if disk.published[path] != nil || disk.links.contains(path) || disk.folders.contains(path) {
      return SimulatedDisk.place(path)
    }
    return portably ? disk.twins(of: path).first.map(SimulatedDisk.place) : nil
  }

  func move(
    _ file: FoundFile, to path: LibraryPath, _ move: CleanupStep.Move
  ) throws(FileSystemFailure) -> MoveOutcome {
    let former = SimulatedDisk.path(file.place)
    switch try subject(file) {
    case .nothing: return .gone
    case .link(let failure), .behindLink(let failure): throw failure
    case .other: return .changed
    case .file: break
    }
    if disk.cover(over: path.description) != nil {
      throw FileSystemFailure("a link or an unreadable folder is on the way to \(path)")
    }
    if world.sabotage == .renameReplaces, disk.published[path.description] != nil {
      check { throw Violation(.names, "the file at \(path) is replaced by that from \(former)") }
    }
    guard let made = disk.move(former, to: path.description, sparingTwins: move.isPortable) else { return .taken }
    return .moved(madeFolders: made)
  }
}
