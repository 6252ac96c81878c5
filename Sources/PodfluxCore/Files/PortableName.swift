/// Names that Linux, SMB, NTFS and exFAT all take.
///
/// Sources: "Naming Files, Paths, and Namespaces" (Microsoft's documentation of Windows), section 7.7.3.1 of the exFAT
/// specification. The lengths that those allow, 255 UTF-16 units, are never reached: no text has more of them than bytes
/// in UTF-8, of which `LibraryPath.maximumComponentBytes` are allowed.
public enum PortableName {
  /// What stands for a character that some of them refuse; nil for one that all take. Slashes and backslashes part names,
  /// and control characters have no place in any: they are not looked at here.
  public static func substitute(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\"": "'"
    case "*", ":", "<", ">", "?", "|": "-"
    default: nil
    }
  }

  /// Whether Windows takes the name for a device: `CON`, also with an extension or blanks before it, whatever the case.
  public static func isDevice(_ name: some Sequence<Unicode.Scalar>) -> Bool {
    var stem = String.UnicodeScalarView(name.prefix { $0 != "." })
    while stem.last == " " { stem.removeLast() }
    return stem.count <= longestDevice && devices.contains(String(stem).uppercased())
  }

  /// What stands before the name of a device.
  public static let devicePrefix: Unicode.Scalar = "_"

  private static let devices: Set<String> = {
    let numbered = "0123456789\u{B9}\u{B2}\u{B3}".flatMap { ["COM\($0)", "LPT\($0)"] }
    return Set(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"] + numbered)
  }()

  private static let longestDevice = 7
}

extension LibraryPath {
  /// The path with what `PortableName` substitutes in each of its names; most are what they were.
  public var portable: LibraryPath {
    let names = components.map { name in
      var scalars = String.UnicodeScalarView(name.unicodeScalars.map { PortableName.substitute(for: $0) ?? $0 })
      if PortableName.isDevice(scalars) {
        // A name that fills its room loses the first letter of the device's instead.
        if String(scalars).utf8.count >= Self.maximumComponentBytes { scalars.removeFirst() }
        scalars.insert(PortableName.devicePrefix, at: scalars.startIndex)
      }
      return String(scalars)
    }
    return LibraryPath(checked: names)
  }
}
