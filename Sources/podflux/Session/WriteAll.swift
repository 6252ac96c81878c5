import Foundation

/// Writes bytes to a descriptor, also one that another program has made non-blocking, and waits for its reader.
///
/// - Parameter onWritten: Called with the number of bytes that one call has written, of at most `pieceBytes`.
/// - Returns: 0, or the number of the error that kept it from writing all, such as `EPIPE` if the reader has closed its
///   end.
func writeAll(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, pieceBytes: Int = .max, onWritten: (Int) -> Void = { _ in }
) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(pieceBytes))
    let count = write(descriptor, piece.baseAddress, piece.count)
    if count > 0 {
      rest = rest.dropFirst(count)
      onWritten(count)
    } else if errno == EAGAIN {
      var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&writable, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}
