import PodfluxCore

/// The mapping of elements outside of episodes. The numbers are ranks, as within episodes.
extension FeedBuilder {
  mutating func mapInPodcast(_ element: FeedElement, parent: FeedTag) throws(FeedProblem) {
    switch (parent, element.tag) {
    case (.image, .url):
      podcast.images.offer(FeedImage(address: try element.address()), rank: 2)
    case (.skipHours, .hour): try takeHour(element)
    case (.skipDays, .day): try takeDay(element)
    case (.itunesOwner, .itunesName):
      let name = try element.plainText()
      podcast.update { $0.ownerName = name }
    case (.itunesOwner, .itunesEmail):
      let email = try element.plainText()
      podcast.update { $0.ownerEmail = email }
    case (.atomAuthor, .atomName): podcast.author.offer(try element.plainText(), rank: 3)
    case (.itunesCategory, .itunesCategory): try add(category: element.required("text"), of: element)
    case (.channel, _), (.atomFeed, _): try mapPodcastChild(element)
    default: break
    }
  }

  private mutating func mapPodcastChild(_ element: FeedElement) throws(FeedProblem) {
    switch element.tag {
    case .title, .atomTitle: podcast.title.offer(try element.plainText(), rank: 2)
    case .itunesTitle, .dcTitle: podcast.title.offer(try element.plainText(), rank: 1)
    case .link: podcast.link.offer(try element.address(), rank: 2)
    case .atomLink: try takePodcastLink(element)
    case .description, .atomSubtitle, .atomTagline: offerPodcastDescription(element, rank: 3)
    case .itunesSummary, .playDescription: offerPodcastDescription(element, rank: 2)
    case .itunesSubtitle: offerPodcastDescription(element, rank: 1)
    case .language: podcast.language.offer(try element.plainText(), rank: 2)
    case .dcLanguage: podcast.language.offer(try element.plainText(), rank: 1)
    case .itunesAuthor, .playAuthor: podcast.author.offer(try element.plainText(), rank: 3)
    case .dcCreator: podcast.author.offer(try element.plainText(), rank: 2)
    case .author, .managingEditor: podcast.author.offer(try element.plainText(), rank: 1)
    case .generator:
      let generator = try element.plainText()
      podcast.update { $0.generator = generator }
    case .category: try add(category: element.plainText(), of: element)
    case .atomCategory:
      if let label = try element.optional("label") { return try add(category: label, of: element) }
      try add(category: element.required("term"), of: element)
    case .itunesCategory: try add(category: element.required("text"), of: element)
    case .itunesImage, .playImage: podcast.images.offer(FeedImage(address: try element.imageAddress("href")), rank: 4)
    case .atomLogo: podcast.images.offer(FeedImage(address: try element.address()), rank: 2)
    case .atomIcon, .mediaThumbnail: try takeSmallImage(element)
    case .podcastImage:
      let width = attempt { () throws(FeedProblem) in try element.optionalInteger("width") }
      podcast.images.offer(FeedImage(address: try element.imageAddress("href"), width: width), rank: 3)
    case .podcastImages:
      for image in try [FeedImage].sourceSet(element) { podcast.images.offer(image, rank: 3) }
    case .lastBuildDate, .atomUpdated, .atomModified: podcast.updated.offer(try element.date(), rank: 3)
    case .pubDate: podcast.updated.offer(try element.date(), rank: 2)
    case .dcDate: podcast.updated.offer(try element.date(), rank: 1)
    case .person:
      guard let person = try person(element) else { return }
      guard podcast.append(person, to: \.persons) else { throw element.problem(.tooMany) }
    default: try mapStatus(element)
    }
  }

  private mutating func mapStatus(_ element: FeedElement) throws(FeedProblem) {
    switch element.tag {
    case .itunesExplicit:
      let flag = try element.flag()
      podcast.update { $0.isExplicit = flag }
    case .itunesBlock:
      let flag = try element.flag()
      podcast.update { $0.isBlocked = flag }
    case .itunesComplete:
      let flag = try element.flag()
      podcast.update { $0.isComplete = flag }
    case .itunesType:
      let text = try element.plainText()
      guard let order = FeedPodcast.Order(rawValue: text.lowercased()) else { throw element.invalid(text) }
      podcast.update { $0.order = order }
    case .itunesNewFeedURL:
      // A move is believed of a whole URL only: any text is a relative one.
      var whole = element
      whole.base = nil
      let address = try whole.address()
      podcast.update { $0.newAddress = address }
    case .podcastGUID: podcast.guid.offer(try element.content().lowercased(), rank: 2)
    case .atomID: podcast.guid.offer(try element.content(), rank: 1)
    case .medium:
      let medium = try element.plainText().lowercased()
      podcast.update { $0.medium = medium }
    case .locked:
      let owner = attempt { () throws(FeedProblem) in try element.optional("owner") }
      let lock = FeedPodcast.Lock(isLocked: try element.flag(), owner: owner)
      podcast.update { $0.lock = lock }
    case .ttl:
      let minutes = try element.integer()
      podcast.update { $0.refreshMinutes = minutes }
    case .updateFrequency: try takeUpdateFrequency(element)
    case .updatePeriod:
      let text = try element.plainText()
      guard let seconds = Self.periods[text.lowercased()] else { throw element.invalid(text) }
      podcast.periodSeconds = seconds
    case .updateCount:
      let count = try element.integer()
      guard count > 0 else { throw element.invalid(String(count)) }
      podcast.updatesInPeriod = count
    case .archive: podcast.update { $0.pages.isArchive = true }
    case .complete: podcast.update { $0.pages.isComplete = true }
    default: break
    }
  }

  private static let periods: [String: Int64] = [
    "hourly": 3600, "daily": 86_400, "weekly": 604_800, "monthly": 2_592_000, "yearly": 31_536_000,
  ]
  private static let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  // MARK: Fields

  private mutating func offerPodcastDescription(_ element: FeedElement, rank: Int) {
    let text = PlainText.cleaned(element.text)
    if !text.isEmpty { podcast.description.offer(text, rank: rank) }
  }

  private mutating func add(category: String, of element: FeedElement) throws(FeedProblem) {
    guard podcast.append(category, to: \.categories) else { throw element.problem(.tooMany) }
  }

  private mutating func takeSmallImage(_ element: FeedElement) throws(FeedProblem) {
    let address = element.tag == .atomIcon ? try element.address() : try element.address("url")
    podcast.images.offer(FeedImage(address: address), rank: 1)
  }

  /// From 0 to 23; 24 is midnight too.
  private mutating func takeHour(_ element: FeedElement) throws(FeedProblem) {
    let hour = try element.integer()
    guard (0...24).contains(hour) else { throw element.invalid(String(hour)) }
    _ = podcast.append(hour % 24, to: \.quietHours)
  }

  private mutating func takeDay(_ element: FeedElement) throws(FeedProblem) {
    let text = try element.plainText()
    guard let day = Self.days.firstIndex(of: text.lowercased()) else { throw element.invalid(text) }
    _ = podcast.append(Int64(day + 1), to: \.quietDays)
  }

  private mutating func takeUpdateFrequency(_ element: FeedElement) throws(FeedProblem) {
    let rule = attempt { () throws(FeedProblem) in try element.optional("rrule") }
    let start = attempt { () throws(FeedProblem) -> PublicationDate? in
      guard let text = try element.optional("dtstart") else { return nil }
      guard let date = FeedDate.parse(text) else { throw element.invalid(text, attribute: "dtstart") }
      return date
    }
    let isComplete = attempt { () throws(FeedProblem) -> Bool? in
      guard let text = try element.optional("complete") else { return nil }
      guard let flag = FeedElement.flag(text) else { throw element.invalid(text, attribute: "complete") }
      return flag
    }
    let frequency = FeedPodcast.UpdateFrequency(
      text: PlainText.text(ofHTML: element.text), rule: rule, start: start, isComplete: isComplete ?? false)
    podcast.update { $0.updateFrequency = frequency }
  }

  private mutating func takePodcastLink(_ element: FeedElement) throws(FeedProblem) {
    for relation in try element.relations() {
      switch relation {
      case "alternate": podcast.link.offer(try element.address("href"), rank: 1)
      case "self":
        let address = try element.address("href")
        podcast.update { $0.ownAddress = $0.ownAddress ?? address }
      case "hub":
        guard podcast.append(try element.address("href"), to: \.hubs) else { throw element.problem(.tooMany) }
      case "current": try takePage(element, \.current)
      case "prev-archive", "previous-archive": try takePage(element, \.previousArchive)
      case "next-archive": try takePage(element, \.nextArchive)
      case "first": try takePage(element, \.first)
      case "prev", "previous": try takePage(element, \.previous)
      case "next": try takePage(element, \.next)
      case "last": try takePage(element, \.last)
      default: break
      }
    }
  }

  private mutating func takePage(
    _ element: FeedElement, _ page: WritableKeyPath<FeedPages, WebAddress?>
  ) throws(FeedProblem) {
    let address = try element.address("href")
    podcast.update { $0.pages[keyPath: page] = address }
  }
}
