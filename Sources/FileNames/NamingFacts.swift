import PodfluxCore

/// The known facts about a download at the time its file gets a name. All of it is untrusted text.
package struct NamingFacts: Hashable, Sendable {
  /// The podcast's title: the folder.
  package var podcast: String?
  /// The episode's title.
  package var title: String?
  /// The day on which the episode was published, in the user's time zone.
  package var day: CivilDate?
  /// The time of that day, `HH-mm`.
  package var time: String?
  /// The template, and what it can say of the episode.
  package var naming: DownloadNaming
  /// The extension that the file has already; nil for a new file.
  package var fileExtension: String?
  /// The address of the download.
  package var url: String
  /// The Content-Disposition header of the response.
  package var contentDisposition: String?
  /// The Content-Type header of the response.
  package var mediaType: String?
  /// The first bytes of the file: at most `MediaSignature.length`.
  package var beginning: [UInt8]

  /// Unknown facts are nil.
  package init(
    podcast: String? = nil, title: String? = nil, day: CivilDate? = nil, time: String? = nil,
    naming: DownloadNaming = .init(), fileExtension: String? = nil, url: String, contentDisposition: String? = nil,
    mediaType: String? = nil, beginning: [UInt8] = []
  ) {
    self.podcast = podcast
    self.title = title
    self.day = day
    self.time = time
    self.naming = naming
    self.fileExtension = fileExtension
    self.url = url
    self.contentDisposition = contentDisposition
    self.mediaType = mediaType
    self.beginning = beginning
  }

  /// What is known of a complete file. `offsetSeconds` is how far the clocks by which its day counts are ahead of UTC.
  package init(_ facts: PublishingFacts, offsetSeconds: Int64) {
    let published = facts.description.published
    self.init(
      podcast: facts.description.podcast, title: facts.description.title,
      day: published?.day(offsetSeconds: offsetSeconds), time: published?.timeText(offsetSeconds: offsetSeconds),
      naming: facts.naming, fileExtension: facts.fileExtension, url: facts.address.description,
      contentDisposition: facts.contentDisposition, mediaType: facts.contentType, beginning: facts.beginning)
  }
}
