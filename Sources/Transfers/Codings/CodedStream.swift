/// One stream of compressed data, decoded as it arrives. One owner at a time.
protocol CodedStream: AnyObject {
  /// Decodes what fits into the output, and takes what it has used from the front of the input.
  func decode(_ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodedProgress
  /// Begins again: another stream follows.
  ///
  /// - Returns: false if the format has no further streams, or this byte begins none.
  func restart(first byte: UInt8) -> Bool
}

/// What a step of decoding has come to.
enum CodedProgress {
  /// So many bytes came out; more may follow.
  case decoded(Int)
  /// So many bytes came out, and the stream has ended.
  case ended(Int)
  /// The input is not in the format.
  case damaged
}
