import EngineRuntime
import Flux
import PodfluxCore

/// A walk through the simulated library. It reads a folder when it enters it, and the world goes on meanwhile.
final class SimulatedWalk: LibraryWalk {
  private let files: SimulatedFiles
  private var levels: [ArraySlice<SimulatedDisk.Child>]
  /// Called with each entry that the walk finds.
  var note: (LibraryEntry) -> Void = { _ in }

  init(_ files: SimulatedFiles) {
    self.files = files
    levels = [files.disk.level(of: "")[...]]
    note = files.noteListed
  }

  func next() throws(FileSystemFailure) -> LibraryEntry? {
    while !levels.isEmpty {
      guard let child = levels[levels.count - 1].popFirst() else {
        levels.removeLast()
        continue
      }
      guard let entry = entry(child) else { continue }
      note(entry)
      return entry
    }
    return nil
  }

  private func entry(_ child: SimulatedDisk.Child) -> LibraryEntry? {
    let disk = files.disk
    switch child {
    case .entry(let entry): return entry
    case .folder(let path):
      guard disk.folders.contains(path) else { return nil }
      switch disk.covers[path] {
      case .link where !disk.followsLinks: return .unreadable(SimulatedDisk.place(path), "it is a link by now")
      case .unreadable where files.world.sabotage == .unreadableTakenForEmpty: return nil
      case .unreadable: return .unreadable(SimulatedDisk.place(path), "its permissions do not allow it")
      case .link, nil: break
      }
      let level = disk.level(of: path)
      if level.isEmpty { return .emptyFolder(SimulatedDisk.place(path)) }
      levels.append(level[...])
      return nil
    }
  }
}

/// An open simulated file: what is written to it meanwhile is read.
struct SimulatedContents: PublishedFileContents {
  /// How a file begins that is media. The simulated bytes themselves look like no format.
  private static let mediaBeginning = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 7, count: 64)
  private static let otherBeginning = Array("<!DOCTYPE html><html><body>".utf8)

  let file: FoundFile
  private let opened: SimulatedFile
  private let path: String
  private let files: SimulatedFiles

  init(_ opened: SimulatedFile, _ path: String, _ files: SimulatedFiles) {
    self.opened = opened
    self.path = path
    self.files = files
    file = files.disk.found(opened, at: path)
  }

  var birth: Timestamp? { nil }
  var changed: Timestamp? { nil }

  func present() throws(FileSystemFailure) -> FoundFile {
    try files.enter()
    return files.world.sabotage == .writeDuringReadOverlooked ? file : files.disk.found(opened, at: path)
  }

  func hasOtherNames() throws(FileSystemFailure) -> Bool {
    try files.enter()
    return files.disk.published.values.count { $0.file === opened } > 1
  }

  func beginning() throws(FileSystemFailure) -> [UInt8] {
    try files.enter()
    guard opened.length > 0 else { return [] }
    let isMedia = opened.isMedia && files.world.sabotage != .editTakenForDamage
    return isMedia ? Self.mediaBeginning : Self.otherBeginning
  }

  func read(offset: Int64, count: Int) throws(FileSystemFailure) -> [UInt8] {
    try files.enter()
    let world = files.world
    if world.suffers(.people), world.random.once(in: 30) { world.meddle(with: file.place) }
    return Array(opened.bytes(Int(offset)..<Int(offset) + count))
  }
}
