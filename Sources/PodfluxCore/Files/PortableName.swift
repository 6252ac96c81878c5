/// File names that Linux, SMB, NTFS and exFAT all accept.
///
/// Sources: "Naming Files, Paths, and Namespaces" (Microsoft's documentation of Windows), section 7.7.3.1 of the exFAT
/// specification. Their limit of 255 UTF-16 units is never reached: no text has more units than UTF-8 bytes, which
/// `LibraryPath.maximumComponentBytes` limits.
package enum PortableName {
  /// The substitute for a character that some of them refuse; nil for one that all accept. It does not handle slashes
  /// and backslashes, which separate names, and control characters, which no name contains.
  package static func substitute(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\"": "'"
    case "*", ":", "<", ">", "?", "|": "-"
    default: nil
    }
  }

  /// Whether Windows treats the name as a device: `CON`, also with an extension or trailing blanks, in any case.
  package static func isDevice(_ name: some Sequence<Unicode.Scalar>) -> Bool {
    var stem = String.UnicodeScalarView(name.prefix { $0 != "." })
    while stem.last == " " { stem.removeLast() }
    return stem.count <= longestDevice && devices.contains(String(stem).uppercased())
  }

  /// The prefix that makes a device's name harmless.
  package static let devicePrefix: Unicode.Scalar = "_"

  private static let devices: Set<String> = {
    let numbered = "0123456789\u{B9}\u{B2}\u{B3}".flatMap { ["COM\($0)", "LPT\($0)"] }
    return Set(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"] + numbered)
  }()

  private static let longestDevice = 7
}

extension LibraryPath {
  /// The path with `PortableName` applied to each component; most paths do not change.
  public var portable: LibraryPath {
    let names = components.map { name in
      var scalars = String.UnicodeScalarView(name.unicodeScalars.map { PortableName.substitute(for: $0) ?? $0 })
      if PortableName.isDevice(scalars) {
        // A name of maximum length loses the first letter of the device instead.
        if String(scalars).utf8.count >= Self.maximumComponentBytes { scalars.removeFirst() }
        scalars.insert(PortableName.devicePrefix, at: scalars.startIndex)
      }
      return String(scalars)
    }
    return LibraryPath(checked: names)
  }
}
