extension Sequence<UInt8> {
  /// Two digits for each byte, in lower case.
  public var hexadecimal: String {
    let digits = flatMap { [digit($0 >> 4), digit($0 & 0x0F)] }
    return String(decoding: digits, as: UTF8.self)
  }
}

private func digit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
