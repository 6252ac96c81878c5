import Synchronization

extension Library {
  /// The folder of partial files.
  var partialFolder: Descriptor { heldPartialFolder.withLock { $0 } }

  /// The folder of partial files after one turned out to be gone: it is made anew if nothing has its name. Another
  /// thread may have done that already.
  func partialFolder(insteadOf gone: Descriptor) throws(FileError) -> Descriptor {
    try heldPartialFolder.withLock { (held) throws(FileError) in
      if held === gone { held = try stateFolder.openFolder(Layout.partial, .createIfMissing) }
      return held
    }
  }
}
