import PodfluxCore

/// The mapping of elements within an episode.
///
/// Where several elements give the same field, the number is their rank: the most specific one wins, in any order of
/// the document.
extension FeedBuilder {
  mutating func mapInEpisode(_ element: FeedElement, parent: FeedTag) throws(FeedProblem) {
    switch (parent, element.tag) {
    case (.alternateEnclosure, .source): try takeSource(element)
    case (.alternateEnclosure, .integrity): try takeIntegrity(element)
    case (.atomAuthor, .atomName): episode?.author.offer(try element.plainText(), rank: 3)
    case (.mediaGroup, .mediaContent), (.mediaContent, .mediaContent): try takeMediaContent(element)
    case (.mediaGroup, .mediaThumbnail), (.mediaContent, .mediaThumbnail):
      try takeImage(element, attribute: "url", rank: 1)
    case (.mediaGroup, .mediaTitle), (.mediaContent, .mediaTitle):
      episode?.title.offer(try element.plainText(), rank: 1)
    case (.mediaGroup, .mediaDescription), (.mediaContent, .mediaDescription):
      offerDescription(element, rank: 1)
    case (.item, _), (.atomEntry, _): try mapChild(element)
    default: break
    }
  }

  private mutating func mapChild(_ element: FeedElement) throws(FeedProblem) {
    switch element.tag {
    case .guid: try takeGUID(element)
    case .atomID: episode?.guid.offer(try element.content(), rank: 2)
    case .dcIdentifier: episode?.guid.offer(try element.content(), rank: 1)
    case .title, .atomTitle: episode?.title.offer(try element.plainText(), rank: 3)
    case .itunesTitle: episode?.title.offer(try element.plainText(), rank: 2)
    case .dcTitle, .mediaTitle: episode?.title.offer(try element.plainText(), rank: 1)
    case .link: episode?.link.offer(try element.address(), rank: 3)
    case .atomLink: try takeEntryLink(element)
    case .contentEncoded: offerDescription(element, rank: 4)
    case .atomContent where element.value(of: "src") == nil: offerDescription(element, rank: 4)
    case .atomContent: try takeContent(element)
    case .description: offerDescription(element, rank: 3)
    case .itunesSummary, .atomSummary, .playDescription: offerDescription(element, rank: 2)
    case .mediaDescription, .itunesSubtitle: offerDescription(element, rank: 1)
    case .itunesAuthor, .playAuthor: episode?.author.offer(try element.plainText(), rank: 3)
    case .dcCreator: episode?.author.offer(try element.plainText(), rank: 2)
    case .author: episode?.author.offer(try element.plainText(), rank: 1)
    case .pubDate, .atomPublished, .atomIssued: episode?.published.offer(try element.date(), rank: 3)
    case .dcDate, .atomCreated: episode?.published.offer(try element.date(), rank: 2)
    case .atomUpdated, .atomModified:
      let date = try element.date()
      episode?.published.offer(date, rank: 1)
      episode?.value.updated = date
    case .enclosure: try takeEnclosure(element, address: element.address("url"))
    case .rdfEnclosure: try takeRDFEnclosure(element)
    case .mediaContent: try takeMediaContent(element)
    case .mediaGroup: episode?.endGroup()
    case .alternateEnclosure: try takeAlternate(element)
    default: try mapDetail(element)
    }
  }

  private mutating func mapDetail(_ element: FeedElement) throws(FeedProblem) {
    switch element.tag {
    case .itunesDuration:
      let text = try element.plainText()
      guard let seconds = FeedDuration.parse(text) else { throw element.invalid(text) }
      if seconds > 0 { episode?.seconds.offer(seconds, rank: 2) }
    case .itunesExplicit: episode?.value.isExplicit = try element.flag()
    case .itunesEpisodeType:
      let text = try element.plainText()
      guard let kind = FeedEpisode.Kind(rawValue: text.lowercased()) else { throw element.invalid(text) }
      episode?.value.kind = kind
    case .itunesSeason:
      episode?.season.offer(.init(number: try element.integer()), rank: 1)
    case .season:
      let name = attempt { () throws(FeedProblem) in try element.optional("name") }
      episode?.season.offer(.init(number: try element.integer(), name: name), rank: 2)
    case .itunesEpisode: episode?.number.offer(.init(value: Double(try element.integer())), rank: 1)
    case .episode:
      let text = try element.plainText()
      guard let value = Double(text), value.isFinite, value >= 0 else { throw element.invalid(text) }
      let label = attempt { () throws(FeedProblem) in try element.optional("display") }
      episode?.number.offer(.init(value: value, label: label), rank: 2)
    case .itunesImage, .playImage: try takeImage(element, attribute: "href", rank: 4)
    case .podcastImage: try takeImage(element, attribute: "href", rank: 3)
    case .podcastImages:
      for image in try [FeedImage].sourceSet(element) { episode?.images.offer(image, rank: 3) }
    case .mediaThumbnail: try takeImage(element, attribute: "url", rank: 1)
    case .transcript: try takeTranscript(element)
    case .chapters:
      let chapters = FeedChapters(
        address: try element.address("url"),
        mediaType: attempt { () throws(FeedProblem) in try element.mediaType("type") })
      episode?.value.chapters = chapters
    case .person:
      guard let person = try person(element) else { return }
      guard (episode?.value.persons.count ?? 0) < FeedLimits.maximumRepetitions else {
        throw element.problem(.tooMany)
      }
      episode?.value.persons.append(person)
    default: break
    }
  }

  // MARK: Fields

  /// An empty description is none, and no problem.
  private mutating func offerDescription(_ element: FeedElement, rank: Int) {
    if element.text.contains(where: { $0 > 0x20 }) { episode?.description.offer(element.text, rank: rank) }
  }

  /// A guid is a URL too, unless it says that it is none (RSS 2.0).
  private mutating func takeGUID(_ element: FeedElement) throws(FeedProblem) {
    let guid = try element.content()
    episode?.guid.offer(guid, rank: 3)
    let isPermanent = try element.optional("ispermalink").map { $0.lowercased() != "false" } ?? true
    guard isPermanent, guid.lowercased().hasPrefix("http") else { return }
    // A guid that looks like a URL and is none is still a guid.
    episode?.link.offer(try? element.address(), rank: 1)
  }

  private mutating func takeEntryLink(_ element: FeedElement) throws(FeedProblem) {
    for relation in try element.relations() {
      switch relation {
      case "alternate": episode?.link.offer(try element.address("href"), rank: 2)
      case "enclosure": try takeEnclosure(element, address: element.address("href"))
      default: break
      }
    }
  }

  /// A content that is a file elsewhere (RFC 4287 section 4.1.3.2): the enclosure of an entry that names no other.
  private mutating func takeContent(_ element: FeedElement) throws(FeedProblem) {
    let address = try element.address("src")
    let type = attempt { () throws(FeedProblem) in try element.mediaType("type") }
    guard MediaContent(type: type, address: address) == .file, episode?.content == nil else { return }
    episode?.content = FeedEnclosure(address: address, mediaType: type)
  }

  private mutating func takeEnclosure(_ element: FeedElement, address: WebAddress) throws(FeedProblem) {
    guard let known = episode?.value.enclosures, !known.contains(where: { $0.address == address }) else { return }
    guard known.count < FeedLimits.maximumRepetitions else { throw element.problem(.tooMany) }
    let type = attempt { () throws(FeedProblem) in try element.mediaType("type") }
    let length = attempt { () throws(FeedProblem) in try element.claimedLength("length") }
    episode?.value.enclosures.append(FeedEnclosure(address: address, mediaType: type, claimedLength: length))
  }

  /// An enclosure of RSS 1.0 (mod_enclosure 0.4): `rdf:resource` has its address, before that version `enc:url` had it.
  private mutating func takeRDFEnclosure(_ element: FeedElement) throws(FeedProblem) {
    let plain = element.withoutPrefixes
    var address = try plain.optionalAddress("resource")
    if address == nil { address = try plain.optionalAddress("url") }
    guard let address else { throw element.problem(.missing, attribute: "rdf:resource") }
    try takeEnclosure(plain, address: address)
  }

  private mutating func takeImage(_ element: FeedElement, attribute: String, rank: Int) throws(FeedProblem) {
    let address = try element.imageAddress(attribute)
    let width = attempt { () throws(FeedProblem) in try element.optionalInteger("width") }
    episode?.images.offer(FeedImage(address: address, width: width), rank: rank)
  }

  private mutating func takeTranscript(_ element: FeedElement) throws(FeedProblem) {
    let transcript = FeedTranscript(
      address: try element.address("url"),
      mediaType: attempt { () throws(FeedProblem) in try element.mediaType("type") },
      language: attempt { () throws(FeedProblem) in try element.optional("language") },
      relation: attempt { () throws(FeedProblem) in try element.optional("rel")?.lowercased() })
    guard (episode?.value.transcripts.count ?? 0) < FeedLimits.maximumRepetitions else {
      throw element.problem(.tooMany)
    }
    episode?.value.transcripts.append(transcript)
  }

  // MARK: Alternates

  private mutating func takeSource(_ element: FeedElement) throws(FeedProblem) {
    let uri = try element.required("uri")
    // Torrents and IPFS are allowed here, and no fault.
    if let colon = uri.firstIndex(of: ":"), !["http", "https"].contains(uri[..<colon].lowercased()),
      uri[..<colon].allSatisfy({ $0.isASCII && $0.isLetter })
    {
      return
    }
    let source = FeedAlternate.Source(
      address: try element.address("uri"),
      mediaType: attempt { () throws(FeedProblem) in try element.mediaType("contenttype") })
    guard (episode?.alternate?.sources.count ?? 0) < FeedLimits.maximumRepetitions else {
      throw element.problem(.tooMany)
    }
    episode?.alternate?.sources.append(source)
  }

  /// A signature (`pgp-signature`) is no hash, and left alone.
  private mutating func takeIntegrity(_ element: FeedElement) throws(FeedProblem) {
    guard try element.required("type").lowercased() == "sri" else { return }
    let text = try element.required("value")
    guard let integrity = Integrity(text) else { throw element.invalid(text, attribute: "value") }
    episode?.alternate?.integrity = integrity
  }

  private mutating func takeAlternate(_ element: FeedElement) throws(FeedProblem) {
    guard let open = episode?.alternate else { return }
    episode?.alternate = nil
    var alternate = form(element, length: "length", base: open)
    alternate.title = attempt { () throws(FeedProblem) in try element.optional("title") }
    alternate.relation = attempt { () throws(FeedProblem) in try element.optional("rel") }
    alternate.isDefault = attempt { () throws(FeedProblem) in try element.flag("default") } ?? false
    guard !alternate.sources.isEmpty else { throw FeedProblem(element: FeedTag.source.rawValue, fault: .missing) }
    guard (episode?.value.alternates.count ?? 0) < FeedLimits.maximumRepetitions else {
      throw element.problem(.tooMany)
    }
    episode?.value.alternates.append(alternate)
  }

  private mutating func takeMediaContent(_ element: FeedElement) throws(FeedProblem) {
    let address = try element.address("url")
    var content = form(element, length: "filesize", base: FeedAlternate())
    content.bitrate = content.bitrate.map { $0 * 1000 }
    content.isDefault = attempt { () throws(FeedProblem) in try element.flag("isdefault") } ?? false
    content.sources = [.init(address: address)]
    let medium = try element.optional("medium")?.lowercased()
    switch MediaContent(medium: medium, type: content.mediaType, address: address) {
    case .file: break
    case .image: return try takeImage(element, attribute: "url", rank: 1)
    case .other: return
    case .unknown:
      throw content.mediaType.map { element.invalid($0, attribute: "type") }
        ?? element.problem(.missing, attribute: "type")
    }
    let duration = attempt { () throws(FeedProblem) in try element.optional("duration") }
    if let seconds = duration.flatMap(FeedDuration.parse), seconds > 0 { episode?.seconds.offer(seconds, rank: 1) }
    guard episode?.append(media: content) ?? true else { throw element.problem(.tooMany) }
  }

  /// The attributes that both extensions have.
  private mutating func form(_ element: FeedElement, length: String, base: FeedAlternate) -> FeedAlternate {
    var form = base
    form.mediaType = attempt { () throws(FeedProblem) in try element.mediaType("type") }
    form.claimedLength = attempt { () throws(FeedProblem) in try element.claimedLength(length) }
    form.height = attempt { () throws(FeedProblem) in try element.optionalInteger("height") }
    form.language = attempt { () throws(FeedProblem) in try element.optional("lang") }
    form.codecs = attempt { () throws(FeedProblem) in try element.optional("codecs") }
    form.bitrate = attempt { () throws(FeedProblem) -> Double? in
      guard let text = try element.optional("bitrate") else { return nil }
      guard let bitrate = Double(text), bitrate.isFinite, bitrate > 0 else {
        throw element.invalid(text, attribute: "bitrate")
      }
      return bitrate
    }
    return form
  }

  /// A person of an episode or a podcast.
  mutating func person(_ element: FeedElement) throws(FeedProblem) -> FeedPerson? {
    FeedPerson(
      name: try element.plainText(),
      role: attempt { () throws(FeedProblem) in try element.optional("role")?.lowercased() } ?? "host",
      group: attempt { () throws(FeedProblem) in try element.optional("group")?.lowercased() } ?? "cast",
      image: attempt { () throws(FeedProblem) in try element.optionalAddress("img") },
      link: attempt { () throws(FeedProblem) in try element.optionalAddress("href") })
  }
}
