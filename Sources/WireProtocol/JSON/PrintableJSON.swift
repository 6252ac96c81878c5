/// JSON for a terminal.
extension [UInt8] {
  /// The same JSON, with escapes for what could steer the terminal that shows it (`Unicode.Scalar.isUnprintable`): JSON
  /// may have that in its texts, and has it nowhere else. Cost: linear in the bytes.
  package var printableJSON: [UInt8] {
    var printable: [UInt8] = []
    printable.reserveCapacity(count)
    var index = 0
    while index < count {
      let (scalar, bytes) = unprintable(at: index)
      if let scalar {
        let digits = String(scalar, radix: 16)
        printable += (#"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
      } else {
        printable.append(self[index])
      }
      index += bytes
    }
    return printable
  }

  /// The scalar that begins at an index of UTF-8 if it is unprintable, and how many bytes are to be passed.
  private func unprintable(at index: Int) -> (scalar: UInt16?, bytes: Int) {
    switch self[index] {
    case 0x7F: return (0x7F, 1)
    case 0xC2: if let next = byte(index + 1), next < 0xA0 { return (UInt16(next), 2) }
    case 0xD8: if byte(index + 1) == 0x9C { return (0x061C, 2) }
    case 0xE2:
      guard let middle = byte(index + 1), let last = byte(index + 2) else { break }
      let scalar = 0x2000 | UInt16(middle & 0x3F) << 6 | UInt16(last & 0x3F)
      switch scalar {
      case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: return (scalar, 3)
      default: break
      }
    default: break
    }
    return (nil, 1)
  }

  private func byte(_ index: Int) -> UInt8? { index < count ? self[index] : nil }
}
