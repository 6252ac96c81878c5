import CZlib

/// deflate (RFC 1951), in the frame of gzip (RFC 1952) or zlib (RFC 1950), or in none.
final class DeflateStream: CodedStream {
  private let isGzip: Bool
  /// Behind a pointer because zlib requires it to stay at its address.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  /// Makes a stream by its first byte: servers that say "deflate" send zlib's frame, or none.
  ///
  /// Nil if there is no memory.
  init?(isGzip: Bool, first byte: UInt8) {
    self.isGzip = isGzip
    stream.initialize(to: z_stream())
    // 16 more than the largest window means gzip, a negative window means raw deflate. The first byte of a zlib frame
    // names the method, 8, and a window of at most 7 (RFC 1950 section 2.2).
    let isFramed = byte & 0x0F == 8 && byte >> 4 <= 7
    let windowBits: Int32 = isGzip ? MAX_WBITS + 16 : isFramed ? MAX_WBITS : -MAX_WBITS
    guard czlib_inflate_init(stream, windowBits) == Z_OK else { return nil }
  }

  deinit {
    // Of one that could not be begun this is an error without effect.
    inflateEnd(stream)
    stream.deallocate()
  }

  func decode(_ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodedProgress {
    // zlib does not write to its input, but its header of 1995 has no const.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(input.count)
    stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_out = UInt32(output.count)
    let result = inflate(stream, Z_NO_FLUSH)
    input = UnsafeRawBufferPointer(rebasing: input[(input.count - Int(stream.pointee.avail_in))...])
    let count = output.count - Int(stream.pointee.avail_out)
    return switch result {
    case Z_OK, Z_BUF_ERROR: .decoded(count)
    case Z_STREAM_END: .ended(count)
    default: .damaged
    }
  }

  /// A gzip file may have several members, one after the other (RFC 1952 section 2.2).
  func restart(first byte: UInt8) -> Bool {
    isGzip && byte == 0x1F && inflateReset(stream) == Z_OK
  }
}
