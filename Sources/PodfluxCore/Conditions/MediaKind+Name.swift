extension MediaKind {
  /// The kind for a file name's extension; `other` if it has none.
  package init(ofFileNamed name: String) {
    self = FileExtension.of(name: name).flatMap { Self.byExtension[$0] } ?? .other
  }

  /// The kind for the extension of the last component of a URL's path; `other` if it has none.
  ///
  /// It runs for every enqueued download, so a path without percent-encoding costs no allocation.
  package init(ofURL url: String) {
    let location = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let dot = location.lastIndex(of: UInt8(ascii: ".")),
      (2...FileExtension.maximumLength + 1).contains(location[dot...].count),
      location[dot...].dropFirst().allSatisfy({ (48...57).contains($0) || (65...90).contains($0 & 0xDF) })
    else {
      self = RemoteName.lastPathComponent(ofURL: url).map(Self.init(ofFileNamed:)) ?? .other
      return
    }
    // The dot needs a name before it, and that a path, not only the host.
    let slashes = location[..<dot].lazy.filter { $0 == UInt8(ascii: "/") }.count
    guard slashes >= 3, location[..<dot].last != UInt8(ascii: "/") else {
      self = .other
      return
    }
    self = Self.byPackedExtension[Self.packed(location[dot...].dropFirst())] ?? .other
  }

  private static func packed(_ name: some Sequence<UInt8>) -> UInt64 {
    // In lower case: digits have the bit already.
    name.reduce(0) { $0 << 8 | UInt64($1 | 0x20) }
  }

  private static let byPackedExtension = Dictionary(
    uniqueKeysWithValues: byExtension.map { (packed($0.key.utf8), $0.value) })

  private static let byExtension: [String: MediaKind] = {
    let audio = [
      "mp3", "m4a", "m4b", "m4p", "m4r", "aac", "ogg", "oga", "opus", "flac", "wav", "aif", "aiff", "aifc", "mp2",
      "m2a",
      "mka", "wma",
    ]
    let video = ["mp4", "m4v", "mov", "mpg", "webm", "ogv", "mkv", "3gp", "wmv", "asf", "avi"]
    return Dictionary(uniqueKeysWithValues: audio.map { ($0, .audio) } + video.map { ($0, .video) })
  }()
}
