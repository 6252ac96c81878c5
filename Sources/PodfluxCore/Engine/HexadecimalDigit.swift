extension UInt8 {
  /// Whether it is an ASCII digit of base 16 in lower case, as hashes and canonical IPv6 addresses are written.
  package var isHexadecimalDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
  }
}
