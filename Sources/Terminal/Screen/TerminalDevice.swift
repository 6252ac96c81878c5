import Glibc

/// A file descriptor that may be a terminal: the only part of this module that reaches the system.
package struct TerminalDevice: Sendable {
  private let descriptor: Int32

  package static let standardOutput = TerminalDevice(descriptor: STDOUT_FILENO)
  package static let standardError = TerminalDevice(descriptor: STDERR_FILENO)

  /// The descriptor stays its owner's, who closes it.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Whether a person may be looking at it.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// What it says about its size (ioctl_tty(2)); nil where it says nothing.
  var reportedSize: (columns: Int?, rows: Int?) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (nil, nil) }
    return (size.ws_col > 0 ? Int(size.ws_col) : nil, size.ws_row > 0 ? Int(size.ws_row) : nil)
  }

  /// Writes all bytes, and waits for a reader that is slow. Returns whether they were written.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool { attempt(bytes) == 0 }

  /// Writes all bytes, and waits for a reader that is slow. Returns 0, or the number of the error that kept it from
  /// writing them, such as `EPIPE` if its reader has gone, or `ENOSPC`.
  package func attempt(_ bytes: [UInt8]) -> Int32 {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let slice = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.write(descriptor, slice.baseAddress, slice.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = Glibc.poll(&poll, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// Writes a line of text, without anything that could steer a terminal.
  @discardableResult
  package func write(line: String) -> Bool {
    write(Array((line.printable + "\n").utf8))
  }
}
