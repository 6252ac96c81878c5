import PodfluxCore

/// How the values of feeds and episodes are read and written.
extension ValueForm<FeedID> {
  static var feedID: Self {
    Self(
      "an id", .definition("feedID"), read: { f throws(Refusal) in try f.feedID() },
      write: { $1.element($0.description) })
  }
}

extension ValueForm<[FeedID]> {
  static var feedIDs: Self {
    let limit = DownloadIntent.Selection.maximumIDs
    return array("at most \(limit) ids", of: .feedID, atMost: limit)
  }
}

extension ValueForm<EpisodeID> {
  static var episodeID: Self {
    Self(
      "an episode's id", .definition("episodeID"), read: { f throws(Refusal) in try f.episodeID() },
      write: { $1.element($0.description) })
  }
}

extension ValueForm<[EpisodeID]> {
  /// The episodes that a client names.
  static var episodeIDs: Self { ids(atMost: DownloadIntent.Selection.maximumIDs) }

  /// The episodes that a refresh tells of at once.
  static var listedEpisodes: Self { ids(atMost: RefreshReport.episodesAtOnce) }

  private static func ids(atMost limit: Int) -> Self {
    array("at most \(limit) ids of episodes", of: .episodeID, atMost: limit)
  }
}

extension ValueForm<EpisodeCondition> {
  static var episodeCondition: Self { condition("a condition on episodes", by: EpisodeConditionForm.self) }
}

extension ValueForm<String> {
  /// The group of a feed.
  static var group: Self {
    Self(
      "text of at most \(PodcastIntent.Limits.groupBytes) bytes", .definition("feedGroup"),
      read: { f throws(Refusal) in try f.text(ofBytes: 0...PodcastIntent.Limits.groupBytes) },
      write: { $1.element($0) })
  }

  /// What a request calls itself.
  static var userAgent: Self {
    let limit = PodcastIntent.Limits.userAgentBytes
    return Self(
      "at most \(limit) printable ASCII characters", .definition("feedUserAgent"),
      read: { f throws(Refusal) in
        let text = try f.string()
        guard text.utf8.count <= limit, text.isPrintableASCII else {
          throw f.mustBe("at most \(limit) printable ASCII characters")
        }
        return text
      },
      write: { $1.element($0) })
  }
}

extension ValueForm<NameTemplate> {
  /// A template for the names of files.
  static var nameTemplate: Self {
    Self(
      Setting.Values.nameTemplate.requirement, .definition("nameTemplate"),
      read: { f throws(Refusal) in try f.nameTemplate() },
      write: { $1.element($0.text) })
  }
}

extension ValueForm<[String]> {
  /// Guids that an episode had before.
  static var formerGuids: Self {
    let limit = EpisodeTraces.FormerNames.limit
    return array("at most \(limit) texts", of: .guid, atMost: limit)
  }
}

extension ValueForm<[Int64]> {
  /// Hours of a day, or days of a week.
  static var quietTimes: Self {
    let limit = FeedRhythm.quietTimeLimit
    return array("at most \(limit) numbers", of: .integer("an hour or a day", in: 0...23), atMost: limit)
  }
}

extension ValueForm<String> {
  /// An episode's guid; what lets its holder in, if it is a URL, is not written.
  static var guid: Self {
    Self("text", .string(), read: { f throws(Refusal) in try f.string() }, write: { $1.element($0.shownGuid) })
  }

  /// What a feed gives as a URL, valid or not; secrets in it are not written.
  static var shownURL: Self {
    Self("text", .string(), read: { f throws(Refusal) in try f.string() }, write: { $1.element($0.shownURL) })
  }
}

extension ValueForm<EpisodeNotes> {
  /// The notes of an episode; of their links, what lets its holder in is not written.
  static var notes: Self {
    Self(
      "HTML of at most \(EpisodeNotes.maximumBytes) bytes", .string(0...EpisodeNotes.maximumBytes),
      read: { f throws(Refusal) in try f.notes() },
      write: { $1.element($0.shown) })
  }
}

extension ValueForm<WebAddress> {
  /// A URL that a feed names. libcurl may refuse it, when it is fetched.
  static var foreignAddress: Self {
    Self(
      "an http or https URL", .string(1...WebAddress.maximumLength, pattern: "^[Hh][Tt][Tt][Pp][Ss]?://"),
      read: { f throws(Refusal) in try f.foreignAddress() }, write: { $1.element($0.shown) })
  }
}

extension ValueForm<[WebAddress]> {
  /// URLs that a feed has named.
  static var formerAddresses: Self {
    let limit = EpisodeTraces.FormerNames.limit
    return array("at most \(limit) URLs", of: .foreignAddress, atMost: limit)
  }
}

extension ValueForm {
  /// Objects that have a form of their own.
  static func objects<Element: FormedPayload>(atMost limit: Int) -> Self where Value == [Element] {
    array(
      "at most \(limit) objects of " + Element.keys.map { "`\($0)`" }.joined(separator: ", "), of: .object,
      atMost: limit)
  }
}

extension FeedID {
  static let template: FeedID = {
    guard let id = FeedID("a") else { preconditionFailure("a letter is an id") }
    return id
  }()
}

extension EpisodeID {
  static let template = EpisodeID(number: 1)
}

extension Field {
  func feedID() throws(Refusal) -> FeedID {
    guard let id = FeedID(try string()) else {
      throw mustBe("1 to \(FeedID.maximumLength) characters of A-Z a-z 0-9 . _ - : that do not begin with a dot")
    }
    return id
  }

  func episodeID() throws(Refusal) -> EpisodeID {
    guard let id = EpisodeID(try string()) else { throw mustBe("an episode's id such as e42") }
    return id
  }

  fileprivate func foreignAddress() throws(Refusal) -> WebAddress {
    guard let address = try? WebAddress(try string()) else { throw mustBe("an http or https URL") }
    return address
  }
}
