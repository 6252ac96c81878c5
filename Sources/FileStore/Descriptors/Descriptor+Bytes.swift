import Glibc

extension Descriptor {
  /// How far a write got, and what stopped it, if anything did.
  struct WriteOutcome {
    var written = 0
    var failure: FileError?
  }

  /// The most that one pwrite(2) is given. File systems take memory in pieces as large as the write, and a virtual machine
  /// that reports free pages has given large pieces back to its host: their first touch costs ten times the copy. Measured
  /// on ext4, Linux 6.18, for 1 GiB: 0.19 s of system time in writes of 1 MiB and 0.26 s in writes of 32 KiB with memory
  /// at hand; 2 to 3 s and 0.3 to 0.5 s where the host has taken it back.
  private static let sliceBytes = 32 << 10

  /// Writes all of `bytes` at `offset`, or as much as can be.
  func write(_ bytes: UnsafeRawBufferPointer, offset: Int64) -> WriteOutcome {
    Self.writeAll(bytes, offset: offset, path: path) {
      pwrite(number, $0.baseAddress, min($0.count, Self.sliceBytes), off_t($1))
    }
  }

  /// The loop around pwrite(2), which may write less than it was given, or be interrupted.
  static func writeAll(
    _ bytes: UnsafeRawBufferPointer, offset: Int64, path: String,
    using write: (_ rest: UnsafeRawBufferPointer, _ offset: Int64) -> Int
  ) -> WriteOutcome {
    var outcome = WriteOutcome()
    while outcome.written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[outcome.written...])
      do throws(FileError) {
        let count = try systemCall("pwrite", path) { write(rest, offset + Int64(outcome.written)) }
        // A regular file never takes nothing without saying why; a loop without end would be worse than an error.
        guard count > 0 else { throw .io(operation: "pwrite", path: path, code: EIO) }
        outcome.written += count
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
