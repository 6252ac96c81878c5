import Flux

/// Finds out which files are which episodes of a feed, by names, dates, lengths and tags.
///
/// A file that is taken for the wrong episode is a loss: a person hears something else than is said, and the right
/// episode is not fetched. One that is not taken is a nuisance. So in doubt it is not taken, and a file belongs to one
/// episode, and an episode to one file: where two are as good, none is taken.
///
/// | agrees | the pair is |
/// |---|---|
/// | title, enclosure's name or title tag, and another of these, or date, number or length | certain |
/// | one of these alone, which no other episode has | likely |
/// | a title that is cut off or stands among unknown words, and date, number or length | likely |
/// | two of date, marked number and length | likely |
/// | marked number alone, in a name that has nothing else | likely |
/// | anything else | doubtful |
///
/// A date, a marked number, a length that is less than half or more than twice what the feed says, or audio instead of
/// video, makes any pair doubtful that it contradicts.
///
/// It performs no I/O. Cost: each file costs look-ups; of what many episodes share, `candidateLimit` are compared.
package struct EpisodeFileMatcher: Sendable {
  /// Of how many episodes with an equal title, date, number or length each is looked at: of more, none is told by that.
  package static let candidateLimit = 16
  /// The shortest beginning of a title that identifies an episode, in bytes of its key.
  static let leastBeginning = 16
  /// The shortest title and the shortest name of an enclosure that tell alone, in letters and bytes.
  static let leastTitleLetters = 3
  static let leastFileName = 6

  /// The traits of an episode that files are compared with.
  struct Entry: Sendable {
    var episode: AdoptableEpisode
    /// The days on which it was published: on the publisher's clock, and in UTC.
    var days: [Int64]
    /// Its numbers: the feed's, and the marked ones in its title.
    var numbers: [Int64]
    var kind: MediaKind
    var seconds: Int64?
  }

  let comparable: ComparableText
  let podcasts: Set<String>
  private(set) var entries: [Entry] = []
  /// By the key of the whole title.
  private(set) var titles = Index<String>()
  /// By the keys of titles as other programs write them.
  private(set) var looseTitles = Index<String>()
  private(set) var fileNames = Index<String>()
  private(set) var days = Index<Int64>()
  private(set) var numbers = Index<Int64>()
  private(set) var lengths = Index<Int64>()
  private(set) var moments = Index<Int64>()
  /// All keys of titles, in their order.
  private(set) var beginnings: [(key: [UInt8], entry: Int32)] = []

  /// Episodes by something that they have.
  struct Index<Key: Hashable & Sendable>: Sendable {
    private var entries: [Key: [Int32]] = [:]

    mutating func add(_ entry: Int, under key: Key) {
      let entry = Int32(entry)
      if entries[key]?.last != entry { entries[key, default: []].append(entry) }
    }

    func all(_ key: Key) -> [Int32] { entries[key] ?? [] }

    func count(_ key: Key) -> Int { entries[key]?.count ?? 0 }

    /// The entries with this key; empty if there are so many that the key identifies none.
    func few(_ key: Key) -> [Int32] {
      let found = all(key)
      return found.count <= EpisodeFileMatcher.candidateLimit ? found : []
    }

    /// Whether an entry has the key. They were added in their order.
    func has(_ key: Key, _ entry: Int32) -> Bool {
      guard let found = entries[key] else { return false }
      var range = found.indices
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        if found[middle] == entry { return true }
        range = found[middle] < entry ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      return false
    }
  }

  /// A matcher for a feed. No file can be that of an episode without an enclosure.
  package init(
    _ episodes: some Sequence<AdoptableEpisode>, podcast titles: [String], comparing comparable: ComparableText
  ) {
    self.comparable = comparable
    podcasts = Set(titles.flatMap(comparable.keys)).filter { !$0.isEmpty }
    for episode in episodes { add(episode) }
    beginnings.sort { left, right in
      left.key == right.key ? left.entry < right.entry : left.key.lexicographicallyPrecedes(right.key)
    }
  }

  private mutating func add(_ episode: AdoptableEpisode) {
    guard let enclosure = episode.enclosure else { return }
    let index = entries.count
    var entry = Entry(
      episode: episode, days: [], numbers: [],
      kind: enclosure.mediaKind, seconds: episode.published.map { $0.moment.milliseconds / 1000 })
    if let published = episode.published {
      entry.days = [published.day.daysSince1970]
      if published.moment.day != entry.days[0] { entry.days.append(published.moment.day) }
    }
    if let number = episode.number.flatMap({ Int64($0) }) { entry.numbers = [number] }
    if let title = episode.title { add(title, of: index, &entry) }
    entries.append(entry)
    for day in entry.days { days.add(index, under: day) }
    for number in entry.numbers { numbers.add(index, under: number) }
    if let length = enclosure.length, length > 0 { lengths.add(index, under: length) }
    if let seconds = entry.seconds { moments.add(index, under: seconds) }
    if let name = RemoteName.lastPathComponent(ofURL: enclosure.address.description) {
      let key = comparable.key(FileExtension.stem(of: name))
      if !key.isEmpty { fileNames.add(index, under: key) }
    }
  }

  private mutating func add(_ title: String, of index: Int, _ entry: inout Entry) {
    let keys = comparable.keys(title)
    guard let exact = keys.first, !exact.isEmpty else { return }
    var loose = Array(keys.dropFirst())
    titles.add(index, under: exact)
    let reading = NameReading(title, podcasts: podcasts, comparable)
    for window in reading.windows where window.isSure && window.range.count < reading.name.count {
      for key in comparable.keys(reading.name.text(window.range)) where !loose.contains(key) {
        if key != exact, Self.tells(key) { loose.append(key) }
      }
    }
    for number in reading.numbers(outside: nil) where number.isMarked && !entry.numbers.contains(number.number) {
      entry.numbers.append(number.number)
    }
    for key in loose { looseTitles.add(index, under: key) }
    for key in [exact] + loose { beginnings.append((Array(key.utf8), Int32(index))) }
  }

  /// Whether a title's key may tell an episode: a number may be any.
  static func tells(_ key: String) -> Bool {
    key.unicodeScalars.count { !("0"..."9").contains($0) } >= leastTitleLetters
  }

  // MARK: Files

  /// What each file is, in their order. A file's verdict depends on all of them.
  package func verdicts(on files: [AdoptableFile]) -> [AdoptionVerdict] {
    var verdicts = files.map(verdict)
    var takers: [EpisodeID: [Int]] = [:]
    for (index, verdict) in verdicts.enumerated() {
      if let id = verdict.taken { takers[id, default: []].append(index) }
    }
    for (_, indexes) in takers where indexes.count > 1 {
      let best = indexes.compactMap { verdicts[$0].pairing?.confidence }.max()
      let first = indexes.filter { verdicts[$0].pairing?.confidence == best }
      let winner = first.count == 1 ? first[0] : nil
      for index in indexes where index != winner {
        verdicts[index].pairing?.confidence = .doubtful
        verdicts[index].doubt = .otherFile(winner ?? (index == indexes[0] ? indexes[1] : indexes[0]))
      }
    }
    return verdicts
  }
}
