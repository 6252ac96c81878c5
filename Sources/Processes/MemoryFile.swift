import CLinux
import Glibc

/// A file in memory, such as a child's stdin: unlike a pipe, it waits for no reader.
package enum MemoryFile {
  /// Makes one of these bytes, which is read from its beginning.
  ///
  /// - Parameter name: What the system shows it as, in `/proc`.
  /// - Returns: Its descriptor, which the caller closes.
  package static func open(_ name: String, with bytes: [UInt8]) throws(ChildProgram.StartFailure) -> Int32 {
    let file = linux_memory_file(name)
    guard file >= 0 else { throw .init() }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(file, $0.baseAddress.map { $0 + written }, $0.count - written, off_t(written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = ChildProgram.StartFailure()
        close(file)
        throw failure
      }
      written += count
    }
    return file
  }
}
