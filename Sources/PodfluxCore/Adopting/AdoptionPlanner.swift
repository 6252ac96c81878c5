import Flux

/// Sorts files by the feeds that they may belong to, has them matched, and decides. It changes nothing.
///
/// Memory holds the files that no download has, at most `CleanupPlanner.differenceLimit`, and the episodes of one feed
/// at a time.
package struct AdoptionPlanner: Sendable {
  /// The feeds whose files are looked for.
  private let names: FeedNames
  /// The feed whose files alone are looked for.
  private let onlyFeed: Feed.Key?
  /// Whether all files are taken for the feed's, for a person has named feed and folder.
  private let takesAll: Bool
  private let comparable: ComparableText
  private var filesByFeed: [Feed.Key: [FoundFile]] = [:]
  /// Files of no feed that is known: only a name and a length together tell their episodes.
  private var strays: [StrayName: [FoundFile]] = [:]
  /// How many feeds have the title after which such a file is named, where several have it.
  private var feedCounts: [FoundFile: Int] = [:]
  private var strayEpisodes: [FoundFile: [AdoptableEpisode]] = [:]
  /// The tags of files that are compared by them, as far as they have been read; nil for a file without any.
  private var tags: [FoundFile: AdoptableFile.Tags?] = [:]
  /// How many more files' tags may be read.
  private var tagReadingsLeft: Int
  /// The files that episodes get.
  private var takers: [EpisodeID: FoundFile] = [:]
  private var count = 0
  private var steps: [CleanupStep] = []
  private var leftCount = 0
  /// How many files were passed over because there were too many; the next run handles them.
  package private(set) var passedOver = 0

  /// The parts of a file's name by which files of unknown feeds are grouped.
  private struct StrayName: Hashable {
    var key: String
    var length: Int64
  }

  /// Of how many files a run reads the tags: a process for each.
  package static let tagReadingLimit = 4096

  /// A planner for files of these feeds, or of `onlyFeed` alone.
  package init(
    _ adopting: Adopting, names: FeedNames, onlyFeed: Feed.Key?, comparing comparable: ComparableText,
    tagReadings: Int = Self.tagReadingLimit
  ) {
    tagReadingsLeft = tagReadings
    self.names = names
    self.onlyFeed = onlyFeed
    self.comparable = comparable
    takesAll = onlyFeed != nil && adopting.folder != nil
  }

  /// Notes a media file that no download has.
  package mutating func add(_ file: FoundFile) {
    guard count < CleanupPlanner.differenceLimit else { return passedOver += 1 }
    if takesAll, let onlyFeed {
      filesByFeed[onlyFeed, default: []].append(file)
      return count += 1
    }
    let feeds = names.feeds(ofFileAt: file.place, preferring: onlyFeed)
    if feeds.count == 1 {
      // Where one feed's files are wanted, those of other feeds are skipped.
      guard onlyFeed == nil || onlyFeed == feeds[0] else { return }
      filesByFeed[feeds[0], default: []].append(file)
    } else {
      if feeds.count > 1 { feedCounts[file] = feeds.count }
      strays[StrayName(key: key(of: file.name), length: file.length), default: []].append(file)
    }
    count += 1
  }

  /// Files that name no feed, in the order of their places: the album in their tags may.
  package var filesWithoutFeed: [FoundFile] { strays.values.flatMap(\.self).sorted { $0.place < $1.place } }

  /// Reads the tags of a file that names no feed, and counts it among the files of the feed that is its album.
  package mutating func placeByAlbum(
    _ file: FoundFile, readTags: (FoundFile) throws -> AdoptableFile.Tags?
  ) rethrows {
    guard let album = try tags(of: file, readTags)?.album else { return }
    let feeds = names.feeds(titled: album, preferring: onlyFeed)
    guard let feed = feeds.first, feeds.count == 1 else {
      if feeds.count > 1, feedCounts[file] == nil { feedCounts[file] = feeds.count }
      return
    }
    guard onlyFeed == nil || onlyFeed == feed else { return }
    let name = StrayName(key: key(of: file.name), length: file.length)
    strays[name]?.removeAll { $0 == file }
    if strays[name]?.isEmpty == true { strays[name] = nil }
    filesByFeed[feed, default: []].append(file)
  }

  /// The tags of a file, which are read once; nil if it has none, or if too many have been read.
  private mutating func tags(
    of file: FoundFile, _ readTags: (FoundFile) throws -> AdoptableFile.Tags?
  ) rethrows -> AdoptableFile.Tags? {
    if let known = tags[file] { return known }
    guard tagReadingsLeft > 0 else { return nil }
    tagReadingsLeft -= 1
    let found = try readTags(file)
    tags[file] = .some(found)
    return found
  }

  private func key(of name: String) -> String { comparable.key(FileExtension.stem(of: name)) }

  /// The feeds whose episodes are compared with files, in the order of their keys.
  package var feedsWithFiles: [Feed.Key] { filesByFeed.keys.sorted() }

  /// Whether there are files that the episodes of all feeds have to be compared with.
  package var hasStrays: Bool { !strays.isEmpty }

  /// Matches the files of a feed with its episodes, and forgets them.
  ///
  /// `likeness` says what a file's content is like, nil where it cannot be told, and `obstacle` why an episode cannot
  /// get a file although it has no download. Both are called for files that would be taken. `readTags` reads the tags
  /// of a file: called where its name, time and length leave a doubt.
  package mutating func match(
    filesOf feed: Feed.Key, titled titles: [String], with episodes: [AdoptableEpisode],
    readTags: (FoundFile) throws -> AdoptableFile.Tags?, likeness: (FoundFile) throws -> MediaCheck.Likeness?,
    obstacle: (EpisodeID) throws -> String?
  ) rethrows {
    guard let files = filesByFeed.removeValue(forKey: feed) else { return }
    let matcher = EpisodeFileMatcher(episodes, podcast: titles, comparing: comparable)
    var candidates = files.map(AdoptableFile.init)
    var verdicts = matcher.verdicts(on: candidates)
    for (index, file) in files.enumerated() where verdicts[index].isOpen {
      candidates[index].tags = try tags(of: file, readTags)
    }
    // A file's tags may decide on the episode of another.
    if candidates.contains(where: { $0.tags != nil }) { verdicts = matcher.verdicts(on: candidates) }
    for file in files { tags[file] = nil }
    for (file, verdict) in zip(files, verdicts) {
      try add(file, verdict, rival: { files[$0] }, likeness: likeness, obstacle: obstacle)
    }
  }

  /// Compares files of no known feed with a page of any feed's episodes.
  package mutating func matchStrays(with episodes: [AdoptableEpisode]) {
    for episode in episodes {
      guard let enclosure = episode.enclosure, let length = enclosure.length,
        let name = RemoteName.lastPathComponent(ofURL: enclosure.address.description)
      else { continue }
      for file in strays[StrayName(key: key(of: name), length: length)] ?? [] {
        if strayEpisodes[file, default: []].count < EpisodePairing.episodeLimit {
          strayEpisodes[file, default: []].append(episode)
        }
      }
    }
  }

  /// Decides about the files of no known feed, when all episodes have been seen.
  package mutating func decideStrays(
    likeness: (FoundFile) throws -> MediaCheck.Likeness?, obstacle: (EpisodeID) throws -> String?
  ) rethrows {
    let files = strays.values.flatMap(\.self).sorted { $0.place < $1.place }
    strays = [:]
    var candidates: [EpisodeID: [FoundFile]] = [:]
    for file in files {
      guard let episodes = strayEpisodes[file], episodes.count == 1 else { continue }
      candidates[episodes[0].id, default: []].append(file)
    }
    for file in files {
      guard let episodes = strayEpisodes[file] else {
        // What belongs to no feed that was named is not listed.
        let doubt = feedCounts[file].map(AdoptionDoubt.manyFeeds) ?? .unknown
        if onlyFeed == nil { leave(.orphan(file), doubt.words { _ in "" }) }
        continue
      }
      var pairing = EpisodePairing(
        episodes: episodes.map(\.id), evidence: [.fileName, .length], confidence: .certain)
      var doubt: AdoptionDoubt?
      let twin = candidates[episodes[0].id]?.first { $0 != file } ?? takers[episodes[0].id]
      if episodes.count > 1 {
        doubt = .ambiguous(episodes.count)
      } else if twin != nil {
        doubt = .otherFile(0)
      } else if episodes[0].hasDownload {
        doubt = .hasDownload
      }
      if doubt != nil, doubt != .hasDownload { pairing.confidence = .doubtful }
      try add(
        file, AdoptionVerdict(pairing: pairing, doubt: doubt), rival: { _ in twin ?? file }, likeness: likeness,
        obstacle: obstacle)
    }
    (strayEpisodes, feedCounts) = ([:], [:])
  }

  // MARK: Steps

  /// The steps in the order of the files' places, and forgets them.
  package mutating func takeSteps() -> [CleanupStep] {
    defer { steps = [] }
    return steps.sorted { left, right in
      guard let place = left.finding.place, let otherPlace = right.finding.place else { return false }
      return place < otherPlace
    }
  }

  private mutating func add(
    _ file: FoundFile, _ verdict: AdoptionVerdict, rival: (Int) -> FoundFile,
    likeness: (FoundFile) throws -> MediaCheck.Likeness?,
    obstacle: (EpisodeID) throws -> String?
  ) rethrows {
    guard var pairing = verdict.pairing else { return leave(.orphan(file), AdoptionDoubt.unknown.words { _ in "" }) }
    if let doubt = verdict.doubt {
      let words = doubt.words { rival($0).place.text }
      return leave(.episodeFile(file, pairing), words, doubt == .hasDownload ? .leave : .offer)
    }
    let reason: String? =
      if file.place.libraryPath == nil {
        "its name is none that a download could keep; rename it to have it adopted"
      } else if let reason = try likeness(file).reasonAgainst {
        reason
      } else if let episode = pairing.episodes.first {
        try obstacle(episode)
      } else {
        nil
      }
    if let reason {
      pairing.confidence = .doubtful
      return leave(.episodeFile(file, pairing), reason)
    }
    guard steps.count - leftCount < CleanupPlanner.differenceLimit else { return passedOver += 1 }
    if let episode = pairing.episodes.first { takers[episode] = file }
    steps.append(
      CleanupStep(finding: .episodeFile(file, pairing), decision: .adopt, because: pairing.words))
  }

  private mutating func leave(
    _ finding: CleanupStep.Finding, _ because: String, _ decision: CleanupStep.Decision = .leave
  ) {
    guard leftCount < CleanupPlanner.leftLimit else { return passedOver += 1 }
    leftCount += 1
    steps.append(CleanupStep(finding: finding, decision: decision, because: because))
  }
}

extension MediaCheck.Likeness? {
  /// Why a file with such content is not adopted; nil for media.
  fileprivate var reasonAgainst: String? {
    switch self {
    case .media: nil
    case .unrecognized, .other: "its content is no audio and no video that is known"
    case nil: "it cannot be read, or has changed since it was found"
    }
  }
}

extension FoundFile {
  /// Its name, which need not be UTF-8.
  var name: String {
    let slash = place.bytes.lastIndex(of: UInt8(ascii: "/"))
    return String(decoding: slash.map { place.bytes[($0 + 1)...] } ?? place.bytes[...], as: UTF8.self)
  }
}

extension AdoptableFile {
  init(_ found: FoundFile) {
    self.init(
      name: found.name, length: found.length,
      modified: found.modifiedNanoseconds.map { Timestamp(milliseconds: $0 / 1_000_000) })
  }
}

extension AdoptionVerdict {
  /// Whether it is not known which episode's the file is.
  fileprivate var isOpen: Bool { pairing == nil || (doubt != nil && doubt != .hasDownload) }
}

extension EpisodePairing {
  /// By what the file is taken for the episode.
  var words: String { "it has the episode's " + evidence.map(\.words).listed }
}

extension EpisodePairing.Evidence {
  fileprivate var words: String {
    switch self {
    case .fileName: "file name"
    case .title: "title"
    case .foldedTitle: "title in other letters or without what stands beside it"
    case .truncatedTitle: "title's beginning"
    case .titleAmongOthers: "title among other words"
    case .tags: "title in its tags"
    case .date: "day"
    case .number: "number"
    case .length: "length"
    case .modified: "time"
    }
  }
}

extension AdoptionDoubt {
  /// Why the file is not taken.
  func words(rival: (Int) -> String) -> String {
    switch self {
    case .unknown: "no episode is like it"
    case .manyFeeds(let count): "\(count) feeds have the title after which it is named; adopt for one of them by its id"
    case .ambiguous(let count): "\(count) episodes are as like it"
    case .weakEvidence: "too little speaks for the episode"
    case .contradicted(.date): "its day is another than the episode's"
    case .contradicted(.number): "its number is another than the episode's"
    case .contradicted(.length): "it is much longer or shorter than the episode"
    case .contradicted(.mediaKind): "one is audio and the other is video"
    case .otherFile(let index): "the file \"\(rival(index))\" is as good for the episode, or better"
    case .hasDownload: "the episode has a download"
    }
  }
}

extension [String] {
  /// An enumeration with commas, and an “and” before the last word.
  fileprivate var listed: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
