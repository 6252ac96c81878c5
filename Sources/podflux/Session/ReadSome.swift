import Foundation

/// Reads some bytes, as read(2) does, and waits for them also where another program has made the descriptor
/// non-blocking: a parent with an event loop may have.
///
/// - Returns: 0 at the end; a negative number if it fails, with errno.
func readSome(from descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
  while true {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count >= 0 { return count }
    if errno == EAGAIN {
      var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&readable, 1, -1)
    } else if errno != EINTR {
      return count
    }
  }
}
