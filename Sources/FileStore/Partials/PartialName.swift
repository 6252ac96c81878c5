/// The name of a partial file: the id of its download.
package struct PartialName: Hashable, Sendable, CustomStringConvertible {
  /// The longest name, in bytes.
  package static let maximumBytes = 128
  static let fileSuffix = ".part"

  /// The name without the file's suffix.
  package let description: String

  /// Takes 1 to 128 characters of `A-Z a-z 0-9 . _ : -`, the first one no dot; nil for other text.
  package init?(_ text: some StringProtocol) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "."),
      text.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    description = String(text)
  }

  /// The name for a file in the folder of partial files, in either spelling, or nil if the file is not the engine's.
  init?(fileName: EntryName) {
    guard let text = String(validating: fileName.bytes, as: UTF8.self), text.hasSuffix(Self.fileSuffix) else {
      return nil
    }
    let stem = text.dropLast(Self.fileSuffix.count)
    self.init(Style.plainText(ofPortable: stem) ?? stem)
  }

  /// The name for a file in one spelling; nil for a file in the other.
  init?(fileName: EntryName, spelled style: Style) {
    self.init(fileName: fileName)
    guard style.fileName(of: self) == fileName else { return nil }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "A"..."Z", "a"..."z", "0"..."9", ".", "_", ":", "-": true
    default: false
    }
  }
}
