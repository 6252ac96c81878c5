/// The file name in a Content-Disposition header (RFC 6266).
package enum ContentDisposition {
  /// Longer headers are ignored.
  package static let maximumBytes = 8192

  /// The file name that the header suggests, or nil if it has no readable one.
  ///
  /// `filename*` (RFC 8187; UTF-8 or ISO-8859-1) precedes `filename`. Of a path only the last component counts, as RFC
  /// 6266 section 4.3 requires. The name is untrusted: it may contain control characters.
  package static func filename(in header: String) -> String? {
    guard header.utf8.count <= maximumBytes else { return nil }
    var parameters = ParameterReader(Array(header.utf8))
    var plain: String?
    var extended: String?
    while let parameter = parameters.next() {
      switch parameter.name {
      case "filename": plain = plain ?? RemoteName.lastComponent(of: String(decoding: parameter.value, as: UTF8.self))
      case "filename*": extended = extended ?? decodeExtended(parameter.value).flatMap(RemoteName.lastComponent)
      default: continue
      }
    }
    return extended ?? plain
  }

  /// Decodes `charset'language'percent-encoded` (RFC 8187 section 3.2.1), nil if it is malformed.
  private static func decodeExtended(_ value: [UInt8]) -> String? {
    let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = RemoteName.percentDecoded(parts[2]) else { return nil }
    switch String(decoding: parts[0], as: UTF8.self).lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }
}

/// Reads `name=value` pairs between semicolons. Skips parts without an equals sign, such as the disposition type.
private struct ParameterReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func next() -> (name: String, value: [UInt8])? {
    while position < bytes.count {
      let name = trimmed(read { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") })
      guard take(UInt8(ascii: "=")) else {
        position += 1
        continue
      }
      let value = readValue()
      return (String(decoding: name, as: UTF8.self).lowercased(), value)
    }
    return nil
  }

  private mutating func readValue() -> [UInt8] {
    _ = read(while: isBlank)
    let value = take(UInt8(ascii: "\"")) ? readQuoted() : nil
    let rest = read { $0 != UInt8(ascii: ";") }
    return value ?? Array(trimmed(rest))
  }

  /// The rest of a quoted-string (RFC 9110 section 5.6.4). Without a closing quote it extends to the end of the header.
  private mutating func readQuoted() -> [UInt8] {
    var value: [UInt8] = []
    while position < bytes.count, !take(UInt8(ascii: "\"")) {
      _ = take(UInt8(ascii: "\\"))
      guard position < bytes.count else { break }
      value.append(bytes[position])
      position += 1
    }
    return value
  }

  private mutating func read(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = bytes[position...].prefix(while: belongs)
    position = taken.endIndex
    return taken
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private func trimmed(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = slice.firstIndex { !isBlank($0) } ?? slice.endIndex
    let end = slice.lastIndex { !isBlank($0) } ?? start
    return start < slice.endIndex ? slice[start...end] : slice[start...]
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
