import Glibc

extension Descriptor {
  /// How far a write got, and what stopped it, if anything did.
  struct WriteOutcome {
    var written = 0
    var failure: FileError?
  }

  /// The most buffers that one pwritev(2) takes (IOV_MAX).
  static let maximumBuffers = 1024

  /// Writes all of `buffers`, one behind the other, at `offset`, or as much as can be.
  func write(_ buffers: [UnsafeRawBufferPointer], offset: Int64) -> WriteOutcome {
    Self.writeAll(buffers, offset: offset, path: path) {
      pwritev(number, $0.baseAddress, Int32($0.count), off_t($1))
    }
  }

  /// Writes all of `bytes` at `offset`, or as much as can be.
  func write(_ bytes: [UInt8], offset: Int64) -> WriteOutcome {
    bytes.withUnsafeBytes { write([$0], offset: offset) }
  }

  /// The loop around pwritev(2), which may write less than it was given, even a part of a buffer, or be interrupted.
  static func writeAll(
    _ buffers: [UnsafeRawBufferPointer], offset: Int64, path: String,
    using write: (_ rest: UnsafeBufferPointer<iovec>, _ offset: Int64) -> Int
  ) -> WriteOutcome {
    var outcome = WriteOutcome()
    var rest = buffers.filter { !$0.isEmpty }.map(iovec.init)[...]
    while !rest.isEmpty {
      do throws(FileError) {
        let position = offset + Int64(outcome.written)
        let count = try systemCall("pwritev", path) {
          rest.prefix(maximumBuffers).withUnsafeBufferPointer { write($0, position) }
        }
        // A regular file never takes nothing without saying why; a loop without end would be worse than an error.
        guard count > 0 else { throw .io(operation: "pwritev", path: path, code: EIO) }
        outcome.written += count
        rest.dropBytes(count)
      } catch {
        outcome.failure = error
        return outcome
      }
    }
    return outcome
  }

  /// Reads `count` bytes from `offset`, or fewer where the file ends.
  func read(offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(FileError) {
        try self.read(into: UnsafeMutableRawBufferPointer(buffer), offset: offset, filled: &filled)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  private func read(
    into buffer: UnsafeMutableRawBufferPointer, offset: Int64, filled: inout Int
  ) throws(FileError) {
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let position = off_t(offset) + off_t(filled)
      let count = try systemCall("pread", path) { pread(number, rest.baseAddress, rest.count, position) }
      if count == 0 { return }
      filled += count
    }
  }
}

extension iovec {
  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    self.init(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
  }
}

extension ArraySlice<iovec> {
  /// Leaves out what has been written: whole buffers, and the beginning of the one in which the write has ended.
  fileprivate mutating func dropBytes(_ count: Int) {
    var count = count
    while let length = first?.iov_len, count >= length {
      removeFirst()
      count -= length
    }
    guard count > 0 else { return }
    self[startIndex].iov_base += count
    self[startIndex].iov_len -= count
  }
}
