extension MediaKind {
  /// The kind that a file's name says by its extension; other, if it says none.
  public init(ofFileNamed name: String) {
    self = FileExtension.of(name: name).flatMap { Self.byExtension[$0] } ?? .other
  }

  /// The kind that the last component of a URL's path says by its extension; other, if it says none.
  ///
  /// Every download that is enqueued is asked this: what has nothing to be decoded costs no allocation.
  public init(ofURL url: String) {
    let location = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let dot = location.lastIndex(of: UInt8(ascii: ".")),
      (2...FileExtension.maximumLength + 1).contains(location[dot...].count),
      location[dot...].dropFirst().allSatisfy({ (48...57).contains($0) || (65...90).contains($0 & 0xDF) })
    else {
      self = RemoteName.lastPathComponent(ofURL: url).map(Self.init(ofFileNamed:)) ?? .other
      return
    }
    // Before the dot must be a name, and before that a path, not the host alone.
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
