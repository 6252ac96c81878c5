/// Why a text is no path inside a library. Components are numbered from 1.
///
/// ```swift
/// do throws(LibraryPathError) { _ = try LibraryPath(validating: "../elsewhere") } catch { print(error.description) }
/// ```
public enum LibraryPathError: Error, Hashable, Sendable {
  /// The text is empty.
  case empty
  /// The path is longer than `LibraryPath.maximumBytes`.
  case tooLong
  /// The path begins with a slash.
  case absolute
  /// The path has more than `LibraryPath.maximumComponents` components.
  case tooDeep
  /// Two slashes in a row, or a slash at the end.
  case emptyComponent(number: Int)
  /// The component is longer than `LibraryPath.maximumComponentBytes`.
  case componentTooLong(number: Int)
  /// The component contains a backslash, a control character, a line separator or a direction control.
  case refusedCharacter(codePoint: UInt32, component: Int)
  /// The component begins with a dot or is invisible.
  case hidden(number: Int)
  /// The component ends with a blank or a dot.
  case trailingBlankOrDot(number: Int)
}

extension LibraryPathError: CustomStringConvertible {
  /// One sentence: what is wrong, and the remedy. It does not repeat the refused text.
  public var description: String {
    switch self {
    case .empty:
      "the path is empty; give a relative one such as \"Show/Episode.mp3\""
    case .tooLong:
      "the path is longer than \(LibraryPath.maximumBytes) bytes; give a shorter one"
    case .absolute:
      "the path begins with a slash; give one relative to the library, such as \"Show/Episode.mp3\""
    case .tooDeep:
      "the path has more than \(LibraryPath.maximumComponents) components; use fewer folders"
    case .emptyComponent(let number):
      "component \(number) of the path is empty; put single slashes between names and none at the end"
    case .componentTooLong(let number):
      "component \(number) of the path is longer than \(LibraryPath.maximumComponentBytes) bytes; shorten it"
    case .refusedCharacter(let codePoint, let number):
      "component \(number) of the path contains \(Self.spelled(codePoint)); use printable characters and no backslash"
    case .hidden(let number):
      "component \(number) of the path begins with a dot or is invisible; begin it with another character"
    case .trailingBlankOrDot(let number):
      "component \(number) of the path ends with a blank or a dot; end it with another character"
    }
  }

  private static func spelled(_ codePoint: UInt32) -> String {
    let digits = String(codePoint, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
