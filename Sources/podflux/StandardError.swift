import Foundation
import PodfluxCore

/// Where people read: stdout belongs to the protocol.
enum StandardError {
  /// Writes one line. Names of files may be in it: what would end the line or steer a terminal is replaced.
  static func print(_ line: String) {
    let printable = line.unicodeScalars.map { $0.isUnprintable ? "\u{FFFD}" : $0 }
    let text = String(String.UnicodeScalarView(printable)) + "\n"
    FileHandle.standardError.write(Data(text.utf8))
  }
}
