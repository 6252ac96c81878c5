/// What a feed says of an episode, as the library keeps it. What the feed does not say, or says unreadably, is nil.
///
/// Use: `episode.content`.
public struct EpisodeContent: Hashable, Sendable {
  /// What an episode is in its podcast, as the feed says by `itunes:episodeType`.
  ///
  /// Use: `episode.content.kind`. `EpisodeCondition.kinds([.full])` selects by it, in a line `{"episodeType": "full"}`.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case full, trailer, bonus
  }

  /// A file that an episode offers, as the feed claims it to be.
  ///
  /// Use: `episode.content.enclosure`, the file that a download of the episode fetches.
  public struct Enclosure: Hashable, Sendable {
    public var address: WebAddress
    /// Such as `audio/mpeg`; it may be wrong.
    public var mediaType: String?
    /// The bytes that the feed claims; often wrong.
    public var length: Int64?

    package init(address: WebAddress, mediaType: String? = nil, length: Int64? = nil) {
      self.address = address
      self.mediaType = mediaType
      self.length = length
    }
  }

  /// The same episode in another form, or at further addresses (`podcast:alternateEnclosure`).
  ///
  /// Use: `episode.content.alternates.first`.
  public struct Alternate: Hashable, Sendable {
    /// The addresses of the file; at least one.
    public var addresses: [WebAddress]
    public var mediaType: String?
    public var length: Int64?
    public var title: String?
    /// The hash that the file has at each of the addresses.
    public var integrity: Integrity?
    /// Whether it is the very file of the enclosure, so that its addresses are mirrors of it.
    public var isEnclosure: Bool

    package init(
      addresses: [WebAddress], mediaType: String? = nil, length: Int64? = nil, title: String? = nil,
      integrity: Integrity? = nil, isEnclosure: Bool = false
    ) {
      self.addresses = addresses
      self.mediaType = mediaType
      self.length = length
      self.title = title
      self.integrity = integrity
      self.isEnclosure = isEnclosure
    }
  }

  /// The limits of what is kept of an episode, which bound a line and a row.
  package enum Limits {
    /// The longest title, in bytes: as long as a download's.
    package static let titleBytes = 1024
    /// The longest guid, in bytes. Feeds with longer ones are identified by their beginning.
    package static let guidBytes = 2048
    /// How many alternates are kept, and how many addresses of each.
    package static let alternates = 8
    package static let addresses = 4
    /// The longest address beside the enclosure's, in bytes; longer ones are left out.
    package static let addressBytes = 2048
    /// The longest media type, in bytes; longer ones are left out.
    package static let mediaTypeBytes = 128
  }

  public var guid: String?
  public var title: String?
  public var published: PublicationDate?
  public var link: WebAddress?
  /// The length in seconds.
  public var seconds: Int64?
  public var season: Int64?
  /// The number within the season or the podcast, as the feed shows it; it may be 204.5.
  public var number: String?
  public var kind: Kind?
  public var enclosure: Enclosure?
  public var alternates: [Alternate]
  /// The address of the chapters (`podcast:chapters`).
  public var chapters: WebAddress?
  /// The address of a transcript (`podcast:transcript`): of several that of the best form.
  public var transcript: WebAddress?
  /// The address of its own picture.
  public var image: WebAddress?
  /// What it says at length. Nil if that was not read, or has not changed: episodes in rows have their notes in a table
  /// of their own (`EpisodeTable.notes`).
  package var notes: EpisodeNotes?

  package init(
    guid: String? = nil, title: String? = nil, published: PublicationDate? = nil, link: WebAddress? = nil,
    seconds: Int64? = nil, season: Int64? = nil, number: String? = nil, kind: Kind? = nil,
    enclosure: Enclosure? = nil, alternates: [Alternate] = [], chapters: WebAddress? = nil,
    transcript: WebAddress? = nil, image: WebAddress? = nil, notes: EpisodeNotes? = nil
  ) {
    self.guid = guid
    self.title = title
    self.published = published
    self.link = link
    self.seconds = seconds
    self.season = season
    self.number = number
    self.kind = kind
    self.enclosure = enclosure
    self.alternates = alternates
    self.chapters = chapters
    self.transcript = transcript
    self.image = image
    self.notes = notes
  }

  /// The addresses from which the enclosure's very file can be fetched too, and the hash that it must have, if the feed
  /// says it.
  package var mirrors: (addresses: [WebAddress], integrity: Integrity?) {
    var addresses: [WebAddress] = []
    var integrity: Integrity?
    for alternate in alternates where alternate.isEnclosure {
      integrity = integrity ?? alternate.integrity
      for address in alternate.addresses where address != enclosure?.address && !addresses.contains(address) {
        addresses.append(address)
      }
    }
    return (addresses, integrity)
  }
}
