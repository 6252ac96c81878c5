import PodfluxCore

/// What is known about a download when its file gets a name. All of it is strangers' text.
public struct NamingFacts: Hashable, Sendable {
  /// The podcast's title: the folder.
  public var podcast: String?
  /// The episode's title.
  public var title: String?
  /// The day on which the episode was published, where people are for whom the file is named.
  public var day: CivilDate?
  /// Where the file comes from.
  public var url: String
  /// The Content-Disposition header of the answer.
  public var contentDisposition: String?
  /// The Content-Type header of the answer.
  public var mediaType: String?
  /// How the file begins: at most `MediaSignature.length` bytes.
  public var beginning: [UInt8]

  /// Whatever is not known is nil.
  public init(
    podcast: String? = nil, title: String? = nil, day: CivilDate? = nil, url: String,
    contentDisposition: String? = nil, mediaType: String? = nil, beginning: [UInt8] = []
  ) {
    self.podcast = podcast
    self.title = title
    self.day = day
    self.url = url
    self.contentDisposition = contentDisposition
    self.mediaType = mediaType
    self.beginning = beginning
  }
}
