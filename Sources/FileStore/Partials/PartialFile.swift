import CLinux
import Flux
import Glibc
import PodfluxCore
import Synchronization

/// One open partial file. The engine only appends to it or truncates it.
///
/// One attempt at a time owns it; the lock only makes a late call of an older attempt harmless.
package final class PartialFile: Sendable {
  /// An append that wrote only a part of its bytes.
  package struct AppendFailure: Error, Hashable, Sendable {
    /// How many of the bytes are in the file. The next append continues after them.
    package let bytesWritten: Int
    /// The error that stopped it, for example `FileError.noSpace`.
    package let cause: FileError
  }

  fileprivate struct State {
    /// Nil when closed.
    var file: Descriptor?
    /// The offset of the next append.
    var end: Int64
    /// The offset up to which the kernel has been asked to write back.
    var writtenBack: Int64
    /// The file's first bytes, as far as this object has written them: what a file is, is told from them, and they may
    /// have bypassed the page cache.
    var beginning: [UInt8] = []
    /// Whether the file's entry in its folder is known to be on the device.
    var isEntrySynced = false
    /// The first failure of a sync. The kernel reports it once and drops the pages: a later sync would only appear to
    /// succeed.
    var syncFailure: FileError?
  }

  /// After each so many new bytes, the engine asks the kernel to write them back. Smaller steps would write a page that
  /// a slow transfer fills again and again.
  private static let promptWritingBytes = 2 << 20

  /// Leaves one of the two times of futimens(2) unchanged (UTIME_OMIT of sys/stat.h, a macro that Swift does not
  /// import).
  private static let leftAsItIs = (1 << 30) - 2

  private let state: Mutex<State>
  private let folder: Descriptor
  private let name: EntryName
  private let syncs: FolderSyncs
  private let path: String
  private let writesDirectly: Bool
  private let syncContents: @Sendable (Int32) -> Int32

  /// Wraps a file that was just opened in `folder` by its name; `syncContents` replaces fdatasync(2) in tests.
  init(
    _ file: Descriptor, named name: EntryName, in folder: Descriptor, syncs: FolderSyncs, writesDirectly: Bool = false,
    syncContents: @escaping @Sendable (Int32) -> Int32 = fdatasync
  ) throws(FileError) {
    let identity = try file.status().regularFile(at: file.path)
    self.folder = folder
    self.name = name
    self.syncs = syncs
    self.writesDirectly = writesDirectly
    self.syncContents = syncContents
    path = file.path
    state = Mutex(State(file: file, end: identity.size, writtenBack: identity.size))
  }

  /// Appends the blocks in order. Costs an fstat(2) and the writes; large aligned blocks bypass the page cache if the
  /// library's file system suits that.
  ///
  /// Fails with `changedOutside` if the file was deleted, or its length differs from the engine's: bytes after a hole,
  /// or after another program's bytes, must not look like a part of the download.
  package func append(_ blocks: [UnsafeRawBufferPointer]) throws(AppendFailure) {
    let outcome = state.withLock { state in
      guard let file = state.file else { return Descriptor.WriteOutcome(failure: closedError("pwrite")) }
      if let failure = state.syncFailure ?? change(of: file, from: state.end) {
        return Descriptor.WriteOutcome(failure: failure)
      }
      let outcome = write(blocks, to: file, &state)
      state.keepBeginning(of: blocks, written: outcome.written)
      state.end += Int64(outcome.written)
      let waiting = state.end - state.writtenBack
      if waiting >= Self.promptWritingBytes {
        // The disk works while more bytes arrive, so that the next sync is short.
        linux_begin_writing_back(file.number, state.writtenBack, waiting)
        state.writtenBack = state.end
      }
      return outcome
    }
    if let failure = outcome.failure {
      throw AppendFailure(bytesWritten: outcome.written, cause: failure)
    }
  }

  private func write(
    _ blocks: [UnsafeRawBufferPointer], to file: Descriptor, _ state: inout State
  ) -> Descriptor.WriteOutcome {
    var outcome = Descriptor.WriteOutcome(written: writesDirectly ? file.writeDirectly(blocks, offset: state.end) : 0)
    // These bytes bypassed the page cache: there is nothing to write back.
    if state.writtenBack == state.end { state.writtenBack += Int64(outcome.written) }
    var passed = 0
    for block in blocks where outcome.failure == nil {
      let written = min(max(0, outcome.written - passed), block.count)
      passed += block.count
      guard written < block.count else { continue }
      let rest = file.write(
        UnsafeRawBufferPointer(rebasing: block.dropFirst(written)), offset: state.end + Int64(outcome.written))
      outcome.written += rest.written
      outcome.failure = rest.failure
    }
    return outcome
  }

  private func change(of file: Descriptor, from end: Int64) -> FileError? {
    do throws(FileError) {
      let status = try file.status()
      return status.linkCount > 0 && status.identity.size == end ? nil : .changedOutside(path: path)
    } catch {
      return error
    }
  }

  /// The file's length on the disk now, in bytes.
  package func length() throws(FileError) -> Int64 {
    try identity().size
  }

  /// Reads `count` bytes from `offset`, or fewer at the end of the file. The first 4 KiB cost no system call if this
  /// object has written them.
  package func read(offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    precondition(offset >= 0 && count >= 0, "a file has no bytes before its beginning")
    return try withFile("pread") { (file, state) throws(FileError) in
      if offset == 0, let beginning = state.beginning(count) { return beginning }
      return try file.read(offset: offset, count: count)
    }
  }

  /// Copies up to `count` bytes from `offset` to the same offset of another file, without the process's memory and,
  /// where the file system shares extents, without any data (copy_file_range(2)).
  ///
  /// - Returns: How many bytes were copied; nil if the file systems lack it, and the bytes are to be read and written.
  func copyRange(to copy: Descriptor, offset: Int64, count: Int) throws(FileError) -> Int? {
    try withFile("copy_file_range") { (file, _) throws(FileError) in
      let copied = linux_copy_range(file.number, copy.number, offset, UInt(count))
      guard copied < 0 else { return copied == 0 ? nil : Int(copied) }
      switch Int32(-copied) {
      case EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, ETXTBSY, EINTR: return nil
      case let code: throw FileError(operation: "copy_file_range", path: copy.path, code: code)
      }
    }
  }

  /// Truncates the file to `length` bytes, where the next append goes. A shorter file stays as it is.
  package func truncate(to length: Int64) throws(FileError) {
    precondition(length >= 0, "a length is not negative")
    try withFile("ftruncate") { (file, state) throws(FileError) in
      let current = try file.status().identity.size
      if length < current {
        try systemCall("ftruncate", file.path) { ftruncate(file.number, off_t(length)) }
      }
      state.end = min(length, current)
      state.writtenBack = min(state.writtenBack, state.end)
      if state.end < state.beginning.count { state.beginning.removeLast(state.beginning.count - Int(state.end)) }
    }
  }

  /// Sets the time of the last modification (futimens(2)); a later write would change it again.
  ///
  /// Returns false, and changes nothing, if the file system or the permissions forbid it: the download does not fail
  /// for a time. It does not sync: ext4 and XFS write the time when the folder is synced after the rename.
  @discardableResult
  package func setModificationTime(_ moment: Timestamp) throws(FileError) -> Bool {
    let (seconds, milliseconds) = moment.milliseconds.dividedDown(by: 1000)
    let unchanged = timespec(tv_sec: 0, tv_nsec: Self.leftAsItIs)
    let times = [unchanged, timespec(tv_sec: Int(seconds), tv_nsec: Int(milliseconds) * 1_000_000)]
    return try withFile("futimens") { (file, _) throws(FileError) in
      guard futimens(file.number, times) != 0 else { return true }
      switch errno {
      case EPERM, EACCES, EINVAL, ENOSYS, EOPNOTSUPP, EOVERFLOW: return false
      case let code: throw FileError(operation: "futimens", path: file.path, code: code)
      }
    }
  }

  /// Syncs the contents (fdatasync(2)). The entry of a new file in its folder may still be lost.
  ///
  /// After one failure it always fails, and so does every append: bytes written since the last success may be lost,
  /// even if the kernel reports success for another sync.
  package func synchronizeContents() throws(FileError) {
    // Outside the lock: a sync may take long, and appends continue meanwhile.
    let file = try withFile("fdatasync") { (file, state) throws(FileError) in
      if let failure = state.syncFailure { throw failure }
      return file
    }
    try remembering { () throws(FileError) in
      try systemCall("fdatasync", file.path) { syncContents(file.number) }
    }
  }

  /// Syncs the contents and, the first time, the folder: a process that made the file may have been killed before
  /// syncing it.
  package func synchronize() throws(FileError) {
    try synchronizeContents()
    guard !state.withLock(\.isEntrySynced) else { return }
    try remembering { () throws(FileError) in try syncs.synchronize(folder) }
    state.withLock { $0.isEntrySynced = true }
  }

  private func remembering(_ sync: () throws(FileError) -> Void) throws(FileError) {
    do throws(FileError) {
      try sync()
    } catch {
      state.withLock { $0.syncFailure = error }
      throw error
    }
  }

  /// The file, opened once more for reading only: for a process that may not write into it.
  package func contents() throws(FileError) -> PublishedContents {
    let file = try withFile("open") { (file, _) throws(FileError) in try file.reopenedForReading() }
    return try PublishedContents(file)
  }

  /// The file's identity with its length, to record before publishing.
  package func identity() throws(FileError) -> FileIdentity {
    try withFile("fstat") { (file, _) throws(FileError) in try file.status().identity }
  }

  /// Closes the file. Later calls fail, except another `close`.
  ///
  /// It does not sync: call `synchronize()` first if the bytes must survive a power cut.
  ///
  /// - Parameter deletingEmpty: Whether a file without a byte is deleted, which costs nothing for any other. Should
  ///   that fail, the next cleanup deletes it.
  package func close(deletingEmpty: Bool = false) {
    let empty = state.withLock { state -> FileIdentity? in
      defer { state.file = nil }
      guard deletingEmpty, state.end == 0, let identity = try? state.file?.status().identity, identity.size == 0 else {
        return nil
      }
      return identity
    }
    // Another program may have put another file there.
    guard let empty, let named = try? folder.statusOfChild(name)?.identity, named == empty else { return }
    _ = try? folder.deleteFile(name)
  }

  private func withFile<Result: Sendable>(
    _ operation: String, _ body: (Descriptor, inout State) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    try state.withLock { (state) throws(FileError) in
      guard let file = state.file else { throw closedError(operation) }
      return try body(file, &state)
    }
  }

  private func closedError(_ operation: String) -> FileError {
    .io(operation: operation, path: path, code: EBADF)
  }
}

extension PartialFile.State {
  /// Keeps what of the file's beginning has just been written at `end`.
  fileprivate mutating func keepBeginning(of blocks: [UnsafeRawBufferPointer], written: Int) {
    guard end == Int64(beginning.count), beginning.count < MediaSignature.length else { return }
    var left = min(written, MediaSignature.length - beginning.count)
    for block in blocks where left > 0 {
      beginning.append(contentsOf: block.prefix(left))
      left -= min(left, block.count)
    }
  }

  /// The file's first bytes, or fewer at its end; nil if this object has not written them all.
  fileprivate func beginning(_ count: Int) -> [UInt8]? {
    guard count <= beginning.count || end == Int64(beginning.count) else { return nil }
    return Array(beginning.prefix(count))
  }
}
