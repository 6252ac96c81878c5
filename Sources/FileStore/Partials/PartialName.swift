/// The name of a partial file: the id of its download.
public struct PartialName: Hashable, Sendable, CustomStringConvertible {
  /// The longest name, in bytes.
  public static let maximumBytes = 128
  static let fileSuffix = ".part"

  /// The name without the suffix of its file.
  public let description: String

  /// Takes 1 to 128 of `A-Z a-z 0-9 . _ : -`, of which the first is no dot, and refuses all else with nil.
  public init?(_ text: some StringProtocol) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "."),
      text.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    description = String(text)
  }

  /// The name that belongs to a file in the folder of partial files, however it is spelled, or nil if the
  /// file is none of the engine's.
  init?(fileName: EntryName) {
    guard let text = String(validating: fileName.bytes, as: UTF8.self), text.hasSuffix(Self.fileSuffix) else {
      return nil
    }
    let stem = text.dropLast(Self.fileSuffix.count)
    self.init(Style.plainText(ofPortable: stem) ?? stem)
  }

  /// The same where files are spelled in one style only: what is spelled in the other is no partial's there.
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
