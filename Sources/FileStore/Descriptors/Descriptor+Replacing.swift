import Glibc

/// Small files of the engine's own, each of which is written as a whole.
extension Descriptor {
  /// Replaces a child by a new file with these bytes, for its owner alone, and brings it to the device: a crash leaves
  /// the former file or the new one. What could not be written is removed again.
  ///
  /// - Parameters:
  ///   - temporary: The name of the new file until it is whole. What a crash has left there is removed.
  ///   - check: Looks at the new file before anything is written to it.
  func replaceFile(
    _ name: EntryName, by temporary: EntryName, with bytes: [UInt8],
    check: (Descriptor) throws(FileError) -> Void = { _ in }
  ) throws(FileError) {
    _ = try deleteFile(temporary)
    let file = try makeChild(temporary, O_WRONLY | O_EXCL, mode: Library.Layout.privateFileMode)
    do throws(FileError) {
      try check(file)
      let outcome = bytes.withUnsafeBytes { file.write($0, offset: 0) }
      if let failure = outcome.failure { throw failure }
      try file.synchronize()
      try renameChild(temporary, to: name)
    } catch {
      unlinkat(number, temporary.cString, 0)
      throw error
    }
  }

  /// Gives a child another name, in the place of what has it, durably.
  func renameChild(_ name: EntryName, to newName: EntryName) throws(FileError) {
    try moveChild(name, to: newName, in: self)
    try synchronize()
  }
}
