import CBrotli

/// Brotli (RFC 7932). Its memory grows with what comes out, up to a window of 16 MiB.
final class BrotliStream: CodedStream {
  private let state: OpaquePointer

  /// Nil if there is no memory.
  init?() {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
    self.state = state
  }

  deinit {
    BrotliDecoderDestroyInstance(state)
  }

  func decode(_ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodedProgress {
    var (inputCount, outputCount) = (input.count, output.count)
    var next = input.bindMemory(to: UInt8.self).baseAddress
    var room = output.bindMemory(to: UInt8.self).baseAddress
    let result = BrotliDecoderDecompressStream(state, &inputCount, &next, &outputCount, &room, nil)
    input = UnsafeRawBufferPointer(rebasing: input[(input.count - inputCount)...])
    let count = output.count - outputCount
    return switch result {
    case BROTLI_DECODER_RESULT_SUCCESS: .ended(count)
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: .decoded(count)
    default: .damaged
    }
  }

  /// Brotli has no further streams in a body.
  func restart(first byte: UInt8) -> Bool { false }
}
