import EngineRuntime
import PodfluxCore

/// Partial files as surveys and steps see them.
extension SimulatedFiles {
  func partialListing() throws(FileSystemFailure) -> SimulatedPartialWalk {
    try enter()
    return SimulatedPartialWalk(self)
  }

  func partialLength(of download: DownloadID) throws(FileSystemFailure) -> Int64? {
    try enter()
    return disk.partials[download].map { Int64($0.length) }
  }

  func openExistingPartial(of download: DownloadID) throws(FileSystemFailure) -> SimulatedPartial {
    try enter()
    guard let file = disk.partials[download] else { throw FileSystemFailure("there is no partial file of \(download)") }
    return SimulatedPartial(file, self)
  }

  func deletePartial(of download: DownloadID) throws(FileSystemFailure) {
    try enter()
    let isMistaken = world.sabotage == .partialOfAnother
    let download = isMistaken ? world.checker.pausedWithBytes ?? download : download
    check { try world.checker.willDeletePartial(of: download, on: disk) }
    disk.deletePartial(of: download)
  }
}

/// A walk through the simulated partial files: by the names that there were when it began.
final class SimulatedPartialWalk: PartialWalk {
  private let files: SimulatedFiles
  private var partials: ArraySlice<DownloadID>
  private var strays: ArraySlice<String>

  init(_ files: SimulatedFiles) {
    self.files = files
    partials = files.disk.partialNames[...]
    strays = files.disk.strays.keys.sorted()[...]
  }

  func next() throws(FileSystemFailure) -> PartialEntry? {
    while let id = partials.popFirst() {
      guard let file = files.disk.partials[id] else { continue }
      if files.world.sabotage == .partialTakenForStray { return .stray(stray("\(id)", file)) }
      return .partial(FoundPartial(download: id, length: Int64(file.length)))
    }
    while let name = strays.popFirst() {
      if let file = files.disk.strays[name] { return .stray(stray(name, file)) }
    }
    return nil
  }

  private func stray(_ name: String, _ file: SimulatedFile) -> FoundFile {
    FoundFile(place: SimulatedDisk.place(name), length: Int64(file.length), inode: file.inode)
  }
}

/// An open simulated partial file.
struct SimulatedPartial: ExistingPartial {
  private let file: SimulatedFile
  private let files: SimulatedFiles

  init(_ file: SimulatedFile, _ files: SimulatedFiles) {
    self.file = file
    self.files = files
  }

  func length() throws(FileSystemFailure) -> Int64 {
    try files.enter()
    return Int64(file.length)
  }

  func tailHash(length: Int64) throws(FileSystemFailure) -> String {
    try files.enter()
    return file.hash(of: Range(bytes: ResumeRecord.tailRange(ofDurable: length)))
  }

  func synchronize() throws(FileSystemFailure) {
    try files.enter()
    if files.world.suffers(.disk), files.world.random.once(in: 10) {
      file.failToSynchronize()
      throw FileSystemFailure("the simulated device does not take it")
    }
    file.synchronize()
  }

  func close() {}
}
