import Foundation

/// A `podflux` command about a library, as a person types it into a shell.
package struct ShellCommand: CustomStringConvertible {
  private let words: [String]

  /// `podflux`, these words, the library, and further words.
  package init(_ words: String..., library: String, _ further: String...) {
    self.words = ["podflux"] + words + ["--library", library.absolutePath] + further
  }

  /// The words, quoted as a POSIX shell requires (Shell Command Language, section 2.2).
  package var description: String { words.map(Self.quoted).joined(separator: " ") }

  /// A word as a shell reads it.
  package static func quoted(_ word: String) -> String {
    guard word.isEmpty || !word.unicodeScalars.allSatisfy(isPlain) else { return word }
    return "'" + word.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "0"..."9", "/", ".", "_", "-", ":", ",", "@", "+": true
    default: false
    }
  }
}

extension String {
  /// The path as it is valid in any working directory; the same one if it is relative and that directory is gone.
  package var absolutePath: String {
    guard !hasPrefix("/"), let folder = Self.workingDirectory else { return self }
    return (folder == "/" ? "" : folder) + "/" + self
  }

  /// The working directory; nil if it has been removed (getcwd(3)).
  package static var workingDirectory: String? {
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return String(cString: folder)
  }
}
