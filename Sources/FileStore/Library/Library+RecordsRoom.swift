import Glibc

/// Room on the state's disk that is set aside for the database. Where other programs have filled the disk to the last
/// byte nothing could be recorded without it, not even that a person deletes downloads to make room.
extension Library {
  /// The size of what is set aside, in bytes: some hundred turns.
  package static let recordsRoomBytes: Int64 = 4 << 20
  /// How many bytes must be free before so much is set aside.
  static let freeBytesForRecordsRoom = 16 * recordsRoomBytes

  /// Sets the room aside, in a file beside the database, if there is plenty. Does nothing if that has been done.
  ///
  /// Cost: some system calls if it has been done. On file systems that compress, the file holds less.
  ///
  /// - Throws: also `notARegularFile` and `symbolicLink`, if something else has the file's name.
  package func setRecordsRoomAside() throws(FileError) {
    if stateFolder !== engineFolder { _ = try engineFolder.deleteFile(Layout.recordsRoom) }
    let path = stateFolder.pathOfChild(Layout.recordsRoom)
    let status = try stateFolder.statusOfChild(Layout.recordsRoom)
    let size = try status?.regularFile(at: path).size ?? 0
    // A program that copies a library may leave a hole in its place.
    if let status, min(size, status.allocatedBytes) >= Self.recordsRoomBytes { return }
    guard try Self.diskSpace(of: stateFolder).freeBytes >= Self.freeBytesForRecordsRoom else { return }
    let descriptor = try stateFolder.makeChild(
      Layout.recordsRoom, O_RDWR | O_NONBLOCK, mode: Layout.privateFileMode)
    // posix_fallocate(3) returns the error, and leaves errno alone.
    var code: CInt
    repeat {
      code = posix_fallocate(descriptor.number, 0, off_t(Self.recordsRoomBytes))
    } while code == EINTR
    guard code != 0 else { return }
    _ = try stateFolder.deleteFile(Layout.recordsRoom)
    throw FileError(operation: "posix_fallocate", path: path, code: code)
  }

  /// Gives up what was set aside.
  ///
  /// - Returns: Whether there was anything.
  package func giveUpRecordsRoom() throws(FileError) -> Bool {
    try stateFolder.deleteFile(Layout.recordsRoom)
  }

  /// Gives up what was set aside if less than so much is free.
  package func giveUpRecordsRoomIfNeeded() throws(FileError) -> Bool {
    guard try Self.diskSpace(of: stateFolder).freeBytes < Self.recordsRoomBytes else { return false }
    return try giveUpRecordsRoom()
  }
}
