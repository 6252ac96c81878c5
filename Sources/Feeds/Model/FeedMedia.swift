import PodfluxCore

/// A file that an episode offers, as the feed claims it to be.
public struct FeedEnclosure: Hashable, Sendable {
  public var address: WebAddress
  /// Such as `audio/mpeg`, in lower case. It may be wrong.
  public var mediaType: String?
  /// The bytes that the feed claims. Claims of 0 are dropped; the others are often wrong too.
  public var claimedLength: Int64?

  public init(address: WebAddress, mediaType: String? = nil, claimedLength: Int64? = nil) {
    self.address = address
    self.mediaType = mediaType
    self.claimedLength = claimedLength
  }
}

/// The same content in another form, or at other addresses: `podcast:alternateEnclosure`, or one of a `media:group`.
public struct FeedAlternate: Hashable, Sendable {
  /// An address of the file.
  public struct Source: Hashable, Sendable {
    public var address: WebAddress
    /// The type of this source, if it differs.
    public var mediaType: String?
  }

  public var mediaType: String?
  public var claimedLength: Int64?
  /// Bits per second.
  public var bitrate: Double?
  /// Lines of video.
  public var height: Int64?
  public var language: String?
  public var title: String?
  public var relation: String?
  public var codecs: String?
  /// Whether it is the form that `enclosure` has.
  public var isDefault = false
  /// At least one.
  public var sources: [Source] = []
  /// The hash that each source must have.
  public var integrity: Integrity?

  public init() {}
}

/// An image and its width, as `podcast:images`, `podcast:image` and `media:thumbnail` name it.
public struct FeedImage: Hashable, Sendable {
  public var address: WebAddress
  /// In pixels.
  public var width: Int64?
}

/// A `podcast:transcript`.
public struct FeedTranscript: Hashable, Sendable {
  public var address: WebAddress
  public var mediaType: String?
  public var language: String?
  /// `captions` if it has times.
  public var relation: String?
}

/// A `podcast:chapters`.
public struct FeedChapters: Hashable, Sendable {
  public var address: WebAddress
  public var mediaType: String?
}

/// A `podcast:person`.
public struct FeedPerson: Hashable, Sendable {
  public var name: String
  /// In lower case; `host` if none is given.
  public var role: String
  /// In lower case; `cast` if none is given.
  public var group: String
  public var image: WebAddress?
  public var link: WebAddress?
}
