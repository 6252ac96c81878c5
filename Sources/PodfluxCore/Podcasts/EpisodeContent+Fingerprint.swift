extension EpisodeContent {
  /// 64 bits that follow from everything in it but the notes, which have a hash of their own: a refresh writes an
  /// episode only if they differ. Two versions of an episode have the same with a probability of 2⁻⁶⁴.
  ///
  /// Over the fields in a fixed order.
  package var fingerprint: Int64 {
    var hash = FieldHash()
    hash.add(guid)
    hash.add(title)
    hash.add(published?.moment.milliseconds)
    hash.add(published?.offsetSeconds)
    hash.add(link?.description)
    hash.add(seconds)
    hash.add(season)
    hash.add(number)
    hash.add(kind?.rawValue)
    hash.add(enclosure?.address.description)
    hash.add(enclosure?.mediaType)
    hash.add(enclosure?.length)
    for alternate in alternates {
      for address in alternate.addresses { hash.add(address.description) }
      hash.add(alternate.mediaType)
      hash.add(alternate.length)
      hash.add(alternate.title)
      hash.add(alternate.integrity?.description)
      hash.add(alternate.isEnclosure ? 1 : 0)
    }
    hash.add(chapters?.description)
    hash.add(transcript?.description)
    // An episode without one has the fingerprint that it had before pictures were kept.
    if let image { hash.add(image.description) }
    return hash.value
  }
}

/// FNV-1a (RFC 9923) over fields, each with its length, which tells them apart.
struct FieldHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  var value: Int64 { Int64(bitPattern: state) }

  mutating func add(_ text: String?) {
    guard var text else { return add(byte: 0) }
    add(byte: 1)
    text.withUTF8 { for byte in $0 { add(byte: byte) } }
    add(number: UInt64(text.utf8.count))
  }

  mutating func add(_ number: Int64?) {
    guard let number else { return add(byte: 0) }
    add(byte: 2)
    add(number: UInt64(bitPattern: number))
  }

  private mutating func add(number: UInt64) {
    for shift in stride(from: 0, to: UInt64.bitWidth, by: 8) { add(byte: UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private mutating func add(byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }
}
