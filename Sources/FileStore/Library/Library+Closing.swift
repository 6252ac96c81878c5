import Glibc

extension Library {
  /// Gives the library and its lock up. Afterwards the process has nothing of it open, whoever holds this object still: its
  /// disk can be unmounted.
  ///
  /// Waits for those who have a file or a folder of it open, or are just syncing one; meanwhile nobody opens anything any
  /// more. Then the lock goes, and after it the folders that were held. What others try later fails (EBADF, ENOTDIR).
  ///
  /// - Parameter limit: How long to wait at most, in milliseconds.
  /// - Returns: how many files and folders are open nevertheless: 0 but for a disk that does not answer in time.
  /// - Throws: where the folders cannot be let go of, because no descriptor is to be had; the lock is gone then.
  public func close(with lock: LibraryLock, upToMilliseconds limit: Int) throws(FileError) -> Int {
    let elsewhere = stateFolder === engineFolder ? [] : [stateFolder]
    let held = [top, engineFolder, partialFolder] + elsewhere + (incomingFolder.map { [$0] } ?? [])
    let left = top.openFiles.close(besides: held.count + lock.openFiles, upToMilliseconds: limit)
    lock.release()
    for folder in held { try folder.abandon() }
    return left
  }
}
