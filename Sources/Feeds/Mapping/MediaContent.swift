import PodfluxCore

/// What a file is that a feed names, as far as its element and its URL say.
enum MediaContent: Sendable {
  /// Audio or video.
  case file
  case image
  /// Something else: a document, a program.
  case other
  /// Nothing says what it is.
  case unknown

  /// By the medium of Media RSS, else by the media type, both in lower case, else by the URL's extension.
  init(medium: String? = nil, type: String?, address: WebAddress) {
    switch medium {
    case "audio", "video": self = .file
    case "image": self = .image
    case "document", "executable": self = .other
    default: self.init(type: type, address: address)
    }
  }

  /// A type that servers give to all that they do not know leaves the decision to the extension, and so does none. An
  /// extension of audio or video is believed against any other type too.
  private init(type: String?, address: WebAddress) {
    switch type?.prefix(while: { $0 != "/" }) {
    case "audio", "video": self = .file
    case "image": self = .image
    case _ where type == "application/ogg" || MediaKind(ofURL: address.description) != .other: self = .file
    case _ where type.map(Self.unspecific.contains) ?? true: self = Self.isImage(address) ? .image : .unknown
    default: self = .other
    }
  }

  private static let unspecific: Set<String> = [
    "application/octet-stream", "binary/octet-stream", "application/binary", "application/download",
    "application/force-download", "application/x-download",
  ]

  private static func isImage(_ address: WebAddress) -> Bool {
    let name = RemoteName.lastPathComponent(ofURL: address.description)
    return name.flatMap(FileExtension.of(name:)).map(["jpg", "jpeg", "png", "gif", "webp"].contains) ?? false
  }
}
