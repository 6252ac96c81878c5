import Glibc
import Synchronization

/// The file of an open database, to tell whether it was deleted or replaced: SQLite goes on to write into a file that
/// has no name any more, and what it commits is lost when it closes it.
///
/// The descriptor has `O_PATH`: closing any other one would drop the locks that SQLite holds on the file (fcntl(2)).
final class DatabaseFile: Sendable {
  private let descriptor: Mutex<CInt>

  /// - Returns: nil if the file cannot be opened; then nothing is told of it.
  init?(path: String) {
    // <fcntl.h> declares O_PATH for _GNU_SOURCE only, and Swift imports it without.
    let pathOnly: CInt = 0o10000000
    let descriptor = open(path, pathOnly | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.descriptor = Mutex(descriptor)
    // Some file systems count no names.
    guard !isDeleted else { return nil }
  }

  deinit { close() }

  /// Whether no name leads to the file any more. Cost: a system call. On NFS an open file keeps a name.
  var isDeleted: Bool {
    descriptor.withLock { descriptor in
      var status = stat()
      return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }
  }

  /// Closes the descriptor: the process holds no file of the library any more.
  func close() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { _ = Glibc.close(descriptor) }
      descriptor = -1
    }
  }
}
