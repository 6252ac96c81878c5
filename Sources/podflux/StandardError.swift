import Foundation

/// Where people read: stdout belongs to the protocol.
enum StandardError {
  /// Writes one line.
  static func print(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
