import Glibc

extension Library {
  /// Closes the library and releases its lock. Afterwards the process has no open file in it, even if this object lives
  /// on: its disk can be unmounted.
  ///
  /// Waits for threads that hold a file or folder open or sync one, and refuses to open more. Then it releases the
  /// lock, and last the library's folders. Later calls fail (EBADF, ENOTDIR).
  ///
  /// - Parameter limit: The longest wait, in milliseconds.
  /// - Returns: How many files and folders are still open: 0 unless a disk does not answer in time.
  /// - Throws: If no descriptor is free to close the folders with; the lock is released then.
  package func close(with lock: LibraryLock, upToMilliseconds limit: Int) throws(FileError) -> Int {
    // Once: the folder of partial files may be made anew meanwhile.
    let held = heldFolders
    let left = top.openFiles.close(besides: held.count + lock.openFiles, upToMilliseconds: limit)
    lock.release()
    for folder in held { try folder.abandon() }
    return left
  }

  private var heldFolders: [Descriptor] {
    let elsewhere = stateFolder === engineFolder ? [] : [stateFolder]
    return [top, engineFolder, partialFolder] + elsewhere + (incomingFolder.map { [$0] } ?? [])
  }
}
