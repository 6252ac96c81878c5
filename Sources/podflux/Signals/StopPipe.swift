import Foundation

/// A pipe that tells a thread which waits for descriptors that it is time to stop.
struct StopPipe: Sendable {
  /// Readable from the first call of `tell` on.
  let reader: Int32
  private let writer: Int32

  /// - Throws: `POSIXError` if the process may open no more descriptors.
  init() throws {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reader, writer) = (ends[0], ends[1])
  }

  /// Signal handlers may call it (signal-safety(7)).
  func tell() {
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }

  /// Ends its use, in all copies.
  func close() {
    for end in [reader, writer] { _ = Foundation.close(end) }
  }
}
