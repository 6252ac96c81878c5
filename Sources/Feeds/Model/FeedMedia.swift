import PodfluxCore

/// A file that an episode offers, as the feed claims it to be.
package struct FeedEnclosure: Hashable, Sendable {
  package var address: WebAddress
  /// Such as `audio/mpeg`, in lower case. It may be wrong.
  package var mediaType: String?
  /// The bytes that the feed claims. Claims of 0 are dropped; the others are often wrong too.
  package var claimedLength: Int64?

  package init(address: WebAddress, mediaType: String? = nil, claimedLength: Int64? = nil) {
    self.address = address
    self.mediaType = mediaType
    self.claimedLength = claimedLength
  }
}

/// The same content in another form, or at other addresses: `podcast:alternateEnclosure`, or one of a `media:group`.
package struct FeedAlternate: Hashable, Sendable {
  /// An address of the file.
  package struct Source: Hashable, Sendable {
    package var address: WebAddress
    /// The type of this source, if it differs.
    package var mediaType: String?
  }

  package var mediaType: String?
  package var claimedLength: Int64?
  /// Bits per second.
  package var bitrate: Double?
  /// Lines of video.
  package var height: Int64?
  package var language: String?
  package var title: String?
  package var relation: String?
  package var codecs: String?
  /// Whether it is the form that `enclosure` has.
  package var isDefault = false
  /// At least one.
  package var sources: [Source] = []
  /// The hash that each source must have.
  package var integrity: Integrity?

  package init() {}
}

/// An image and its width, as `podcast:images`, `podcast:image` and `media:thumbnail` name it.
package struct FeedImage: Hashable, Sendable {
  package var address: WebAddress
  /// In pixels.
  package var width: Int64?
}

/// A `podcast:transcript`.
package struct FeedTranscript: Hashable, Sendable {
  package var address: WebAddress
  package var mediaType: String?
  package var language: String?
  /// `captions` if it has times.
  package var relation: String?
}

/// A `podcast:chapters`.
package struct FeedChapters: Hashable, Sendable {
  package var address: WebAddress
  package var mediaType: String?
}

/// A `podcast:person`.
package struct FeedPerson: Hashable, Sendable {
  package var name: String
  /// In lower case; `host` if none is given.
  package var role: String
  /// In lower case; `cast` if none is given.
  package var group: String
  package var image: WebAddress?
  package var link: WebAddress?
}
