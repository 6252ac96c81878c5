/// A name in a folder as the disk stores it: bytes, which may not be UTF-8.
package struct EntryName: Hashable, Sendable {
  /// The name's bytes with a terminating zero for system calls.
  let cString: [CChar]

  /// Takes bytes without a zero.
  init(bytes: some Collection<UInt8>) {
    var name: [CChar] = []
    name.reserveCapacity(bytes.count + 1)
    name.append(contentsOf: bytes.lazy.map(CChar.init(bitPattern:)))
    name.append(0)
    cString = name
  }

  /// Takes text without a zero.
  init(_ text: String) {
    self.init(bytes: text.utf8)
  }

  package var bytes: [UInt8] { cString.dropLast().map(UInt8.init(bitPattern:)) }

  /// The name for display: invalid UTF-8 is replaced.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether it begins with a dot: the engine's folder, other hidden files, "." and "..".
  var isHidden: Bool { cString.first == CChar(bitPattern: UInt8(ascii: ".")) }
}

extension EntryName: Comparable {
  /// Orders by bytes.
  package static func < (left: Self, right: Self) -> Bool {
    left.cString.lexicographicallyPrecedes(right.cString) { UInt8(bitPattern: $0) < UInt8(bitPattern: $1) }
  }
}

extension EntryName: ExpressibleByStringLiteral {
  /// Takes a literal without a zero.
  package init(stringLiteral text: StaticString) {
    self.init(bytes: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
