import Foundation

/// A file with the exposition, as the textfile collector of node_exporter reads it: it is replaced as a whole, so that
/// no reader sees a part of it.
package struct ExpositionFile: Sendable {
  /// What the file system has refused.
  package struct Failure: Error, CustomStringConvertible {
    /// One sentence for people.
    package let description: String
  }

  /// Its mode, under any umask: the figures are for every reader, and the collector is another user.
  private static let mode: mode_t = 0o644

  private let path: String

  package init(_ path: String) {
    self.path = path
  }

  /// Replaces the file. A temporary file lies beside it for a moment, whose name ends with `.tmp`; collectors read
  /// names with `.prom` only.
  ///
  /// What is there and is no file that this has written, such as a device, a link or a person's file, is left as it is.
  package func write(_ exposition: [UInt8]) throws(Failure) {
    try checkIsOurs()
    let temporaryPath = path + ".tmp"
    // What another program has put there is neither waited for nor written to.
    unlink(temporaryPath)
    let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, Self.mode)
    guard descriptor >= 0 else { throw failure(errno) }
    // Not every file system has modes.
    _ = fchmod(descriptor, Self.mode)
    let written = exposition.withUnsafeBytes { Self.write($0, to: descriptor) }
    guard close(descriptor) == 0, written == 0 else {
      let reason = written == 0 ? errno : written
      unlink(temporaryPath)
      throw failure(reason)
    }
    guard rename(temporaryPath, path) == 0 else {
      let reason = errno
      unlink(temporaryPath)
      throw failure(reason)
    }
  }

  /// What the first line of each exposition begins with.
  private static let beginning = Array("# HELP ".utf8)

  private func checkIsOurs() throws(Failure) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno != ENOENT else { return }
      throw failure(errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(description: "\"\(path)\" is not a regular file, and is left as it is; name a file for the metrics")
    }
    guard status.st_size > 0 else { return }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.beginning.count)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw failure(errno) }
    guard Array(bytes[..<count]) == Self.beginning else {
      throw Failure(description: "\"\(path)\" is no file of metrics, and is left as it is; name another one for them")
    }
  }

  /// The errno, 0 if all bytes are written.
  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno != EINTR { return errno }
      rest = rest.dropFirst(max(0, count))
    }
    return 0
  }

  private func failure(_ number: Int32) -> Failure {
    Failure(description: "the metrics cannot be written to \"\(path)\": \(String(cString: strerror(number)))")
  }
}
