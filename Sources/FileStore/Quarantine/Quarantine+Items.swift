import Flux
import PodfluxCore

/// Listing and emptying the quarantine.
extension Quarantine {
  /// The size of the quarantine, or of a deleted part of it.
  package struct Usage: Hashable, Sendable {
    /// How many files, without manifests.
    package var files = 0
    /// Their total size in bytes.
    package var bytes: Int64 = 0

    fileprivate mutating func add(_ file: FileStatus) {
      files += 1
      bytes = bytes.addingClamped(file.identity.size)
    }
  }

  private static let unknownReason = "nothing that can be read says why it is here"

  /// Calls the body with each file in quarantine, in the order of their names. Skips entries that vanish meanwhile,
  /// folders, links and hidden files. Reports a file without a manifest with the known fields.
  ///
  /// Changes nothing and takes no lock. Memory: the names.
  package func forEachItem(_ body: (Item) throws(FileError) -> Void) throws(FileError) {
    guard let quarantine = try QuarantineFolder.existing(in: library) else { return }
    for name in try quarantine.names().files {
      guard let status = try quarantine.file(name) else { continue }
      try body(item(name, status, try quarantine.beside(name)))
    }
  }

  package func items() throws(FileError) -> [Item] {
    var items: [Item] = []
    try forEachItem { (item) throws(FileError) in items.append(item) }
    return items
  }

  /// The size of the quarantine. Costs one stat for each file.
  package func usage() throws(FileError) -> Usage {
    var usage = Usage()
    guard let quarantine = try QuarantineFolder.existing(in: library) else { return usage }
    for name in try quarantine.names().files {
      if let status = try quarantine.file(name) { usage.add(status) }
    }
    return usage
  }

  /// Deletes files quarantined before `moment`, or all with nil, each file before its manifest; also manifests whose
  /// file never came, and marks of restored files that are gone.
  ///
  /// Returns the deleted size. A crash leaves the rest for the next call. It does not sync. Other processes can
  /// quarantine files meanwhile.
  ///
  /// - Parameter whileTrue: Called before each file; false stops the deletion.
  package func empty(
    olderThan moment: Timestamp? = nil, whileTrue goesOn: () -> Bool = { true }
  ) throws(FileError) -> Usage {
    var deleted = Usage()
    guard let quarantine = try QuarantineFolder.existing(in: library) else { return deleted }
    let (files, manifests) = try quarantine.names()
    for name in files {
      guard goesOn() else { return deleted }
      try quarantine.locked { () throws(FileError) in
        guard let status = try quarantine.file(name) else { return }
        if let moment, item(name, status, try quarantine.beside(name)).at >= moment { return }
        guard try quarantine.descriptor.deleteFile(name) else { return }
        try quarantine.removeManifest(of: name)
        deleted.add(status)
      }
    }
    for name in manifests { try removeManifestWithoutFile(name, in: quarantine) }
    try quarantine.locked { () throws(FileError) in try quarantine.removeUnfinishedManifest() }
    try dropGoneRestorations()
    return deleted
  }

  /// Removes a manifest whose file never came: under the quarantine's lock no process is about to move it.
  private func removeManifestWithoutFile(_ name: EntryName, in quarantine: QuarantineFolder) throws(FileError) {
    try quarantine.locked { () throws(FileError) in
      guard try quarantine.descriptor.statusOfChild(name) == nil else { return }
      if case .manifest(let manifest) = try quarantine.beside(name), manifest.restoration != nil { return }
      try quarantine.removeManifest(of: name)
    }
  }

  private func item(_ name: EntryName, _ status: FileStatus, _ beside: QuarantineFolder.Beside) -> Item {
    guard case .manifest(let manifest) = beside else {
      return Item(
        name: name.text, place: nil, length: status.identity.size, because: Self.unknownReason, at: status.changed,
        download: nil)
    }
    return Item(
      name: name.text, place: manifest.legalPlace, length: status.identity.size, because: manifest.because,
      at: manifest.at ?? status.changed, download: manifest.download)
  }
}
