import Flux

/// How a file is compared with the episodes that something of it leads to.
extension EpisodeFileMatcher {
  /// How a file's name agrees with an episode's title.
  private struct Title {
    var range: Range<Int>
    var isSure: Bool
    /// The keys that were found in the index.
    var keys: [String]
  }

  /// The facts of a file that hold for all episodes with which it is compared.
  private struct Subject {
    var file: AdoptableFile
    var reading: NameReading
    var title: Title?
    var beginning: String?
    /// The keys of the file's name, with and without what stands beside it.
    var fileNames: [String] = []
    var tagKeys: [String] = []
    var kind: MediaKind
  }

  /// An episode that a file may be.
  private struct Candidate {
    var entry: Int32
    var evidence: Set<EpisodePairing.Evidence> = []
    var contradictions: [AdoptionDoubt.Contradiction] = []
    /// Whether the file has a day, and the episode has none with which it could agree.
    var hasOpenDate = false
    var confidence = EpisodePairing.Confidence.doubtful

    /// How much speaks for it.
    var worth: Int {
      let names: Set<EpisodePairing.Evidence> = [.fileName, .title, .foldedTitle, .tags]
      return 2 * evidence.count + 4 * evidence.intersection(names).count - 3 * contradictions.count
    }
  }

  /// What a file is, other files left out of account.
  func verdict(on file: AdoptableFile) -> AdoptionVerdict {
    var subject = subject(file)
    let found = candidates(for: &subject)
    guard !found.isEmpty else {
      // So many episodes have this title that it identifies none.
      guard let title = subject.title else { return .unknown }
      let sharers = title.keys.flatMap { key in
        titles.all(key).prefix(EpisodePairing.episodeLimit) + looseTitles.all(key).prefix(EpisodePairing.episodeLimit)
      }
      let count = title.keys.reduce(0) { $0 + titles.count($1) + looseTitles.count($1) }
      return AdoptionVerdict(
        pairing: EpisodePairing(
          episodes: sharers.prefix(EpisodePairing.episodeLimit).map { entries[Int($0)].episode.id }, evidence: [.title],
          confidence: .doubtful), doubt: .ambiguous(count))
    }
    var judged = found.map { judge(subject, $0) }.filter { !$0.evidence.isEmpty }
    guard !judged.isEmpty else { return .unknown }
    judged.sort { left, right in
      if left.confidence != right.confidence { return left.confidence > right.confidence }
      let (worth, otherWorth) = (left.worth, right.worth)
      return worth == otherWorth ? left.entry < right.entry : worth > otherWorth
    }
    return decide(judged)
  }

  private func decide(_ judged: [Candidate]) -> AdoptionVerdict {
    let best = judged[0]
    let rivals = judged.count { $0.confidence == best.confidence }
    let isTaken = best.confidence > .doubtful && rivals == 1
    let shown = isTaken ? judged.prefix(1) : judged.prefix(EpisodePairing.episodeLimit)
    var pairing = EpisodePairing(
      episodes: shown.map { entries[Int($0.entry)].episode.id }, evidence: best.evidence.sorted(),
      confidence: isTaken ? best.confidence : .doubtful)
    guard isTaken else {
      let doubt: AdoptionDoubt
      if best.confidence > .doubtful {
        doubt = .ambiguous(rivals)
      } else if let contradiction = best.contradictions.first {
        doubt = .contradicted(contradiction)
      } else {
        doubt = .weakEvidence
      }
      return AdoptionVerdict(pairing: pairing, doubt: doubt)
    }
    guard entries[Int(best.entry)].episode.hasDownload else { return AdoptionVerdict(pairing: pairing, doubt: nil) }
    pairing.confidence = best.confidence
    return AdoptionVerdict(pairing: pairing, doubt: .hasDownload)
  }

  // MARK: The file

  private func subject(_ file: AdoptableFile) -> Subject {
    let reading = NameReading(Self.plain(file.name), podcasts: podcasts, comparable)
    var subject = Subject(file: file, reading: reading, kind: MediaKind(ofFileNamed: file.name))
    let copies = reading.elements.filter { if case .copy = $0.meaning { true } else { false } }.map(\.range)
    for window in reading.windows {
      let keys = [reading.name.key(window.range), reading.name.latinKey(window.range)].uniqued
      if subject.title == nil {
        let known = keys.filter { !$0.isEmpty && (titles.count($0) > 0 || looseTitles.count($0) > 0) }
        if !known.isEmpty { subject.title = Title(range: window.range, isSure: window.isSure, keys: known) }
      }
      // The number of a copy, `(1)`, is no name, although a file may be called `1.mp3`.
      let isOfCopy = copies.contains { window.range.clamped(to: $0) == window.range }
      if window.isSure && !isOfCopy || window.range.count == reading.name.count {
        subject.fileNames += keys.filter { fileNames.count($0) == 1 && !subject.fileNames.contains($0) }
      }
    }
    if subject.title == nil {
      let whole = reading.windows.first {
        $0.isSure && $0.range.upperBound == reading.name.count && $0.range.lowerBound > 0
      }
      let range = whole?.range ?? 0..<reading.name.count
      let key = reading.name.key(range)
      if key.utf8.count >= Self.leastBeginning { subject.beginning = key }
    }
    if let title = file.tags?.title { subject.tagKeys = comparable.keys(title).filter(Self.tells) }
    return subject
  }

  /// The name without extension, escapes and entities.
  private static func plain(_ name: String) -> String {
    var stem = FileExtension.stem(of: name)
    if stem.utf8.contains(UInt8(ascii: "%")),
      let decoded = RemoteName.percentDecoded(stem.utf8).flatMap({ String(validating: $0, as: UTF8.self) })
    {
      stem = FileExtension.stem(of: decoded)
    }
    guard stem.utf8.contains(UInt8(ascii: "&")) else { return stem }
    return stem.replacing("&amp;", with: "&").replacing("&#39;", with: "'").replacing("&quot;", with: "\"")
  }

  // MARK: Candidates

  private func candidates(for subject: inout Subject) -> [Int32] {
    var found: Set<Int32> = []
    for key in subject.title?.keys ?? [] {
      found.formUnion(titles.few(key))
      found.formUnion(looseTitles.few(key))
    }
    if let key = subject.beginning {
      let begun = entriesBeginning(with: key)
      if begun.isEmpty { subject.beginning = nil }
      found.formUnion(begun)
    }
    for key in subject.fileNames { found.formUnion(fileNames.few(key)) }
    for key in subject.tagKeys { found.formUnion(titles.few(key)) }
    for day in subject.reading.dates(outside: nil).flatMap(\.self) { found.formUnion(days.few(day)) }
    if let day = subject.file.tags?.date?.daysSince1970 { found.formUnion(days.few(day)) }
    for number in subject.reading.numbers(outside: nil) { found.formUnion(numbers.few(number.number)) }
    found.formUnion(lengths.few(subject.file.length))
    if let seconds = subject.file.modified.map({ $0.milliseconds / 1000 }) {
      for moment in seconds - Self.timeSlack...seconds + Self.timeSlack { found.formUnion(moments.few(moment)) }
    }
    return found.sorted()
  }

  /// How far a file's time may be from that of the episode, in seconds: FAT keeps every other one.
  private static var timeSlack: Int64 { 2 }

  /// The episodes whose titles begin so, if they are few.
  private func entriesBeginning(with key: String) -> Set<Int32> {
    let bytes = Array(key.utf8)
    var range = beginnings.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if beginnings[middle].key.lexicographicallyPrecedes(bytes) {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    var found: Set<Int32> = []
    for beginning in beginnings[range.lowerBound...] {
      guard beginning.key.starts(with: bytes) else { break }
      found.insert(beginning.entry)
      if found.count > Self.candidateLimit { return [] }
    }
    return found
  }

  // MARK: Judging

  private func judge(_ subject: Subject, _ index: Int32) -> Candidate {
    let entry = entries[Int(index)]
    var candidate = Candidate(entry: index)
    var title: Range<Int>?
    var isUnique = false
    if let found = subject.title {
      let isExact = found.keys.contains { titles.has($0, index) }
      let isLoose = !isExact && found.keys.contains { looseTitles.has($0, index) }
      if isExact || isLoose {
        title = found.range
        let evidence: EpisodePairing.Evidence = isExact ? .title : .foldedTitle
        candidate.evidence.insert(found.isSure ? evidence : .titleAmongOthers)
        isUnique = self.isUnique(found.keys, isExact: isExact) && found.keys.contains(where: Self.tells)
      }
    } else if let beginning = subject.beginning, self.has(beginning, index) {
      candidate.evidence.insert(.truncatedTitle)
    }
    if subject.fileNames.contains(where: { fileNames.has($0, index) }) { candidate.evidence.insert(.fileName) }
    if subject.tagKeys.contains(where: { titles.has($0, index) }) { candidate.evidence.insert(.tags) }
    compareDates(subject, entry, title, &candidate)
    let hasMarked = compareNumbers(subject, entry, title, &candidate)
    compareLength(subject, entry, &candidate)
    if let modified = subject.file.modified, let seconds = entry.seconds,
      abs(modified.milliseconds / 1000 - seconds) <= Self.timeSlack
    {
      candidate.evidence.insert(.modified)
    }
    if subject.kind != entry.kind, subject.kind != .other, entry.kind != .other {
      candidate.contradictions.append(.mediaKind)
    }
    candidate.confidence = confidence(candidate, subject, isUnique: isUnique, hasMarkedNumber: hasMarked)
    return candidate
  }

  /// Whether a title is that of one episode: of no other one exactly, and of no other one at all if it is not exact.
  private func isUnique(_ keys: [String], isExact: Bool) -> Bool {
    guard keys.allSatisfy({ (isExact ? titles.count($0) : max(titles.count($0), looseTitles.count($0))) <= 1 }) else {
      return false
    }
    let exact = Set(keys.flatMap(titles.few))
    return isExact ? exact.count == 1 : exact.isEmpty && Set(keys.flatMap(looseTitles.few)).count == 1
  }

  private func has(_ beginning: String, _ index: Int32) -> Bool {
    entriesBeginning(with: beginning).contains(index)
  }

  /// By how many hours clocks are behind and ahead of UTC.
  private static var clocks: [Int64] { [-12, 14] }

  private func compareDates(
    _ subject: Subject, _ entry: Entry, _ title: Range<Int>?, _ candidate: inout Candidate
  ) {
    var dates = subject.reading.dates(outside: title)
    if let day = subject.file.tags?.date { dates.append([day.daysSince1970]) }
    guard !dates.isEmpty else { return }
    guard let published = entry.episode.published?.moment else { return candidate.hasOpenDate = true }
    if dates.contains(where: { $0.contains(where: entry.days.contains) }) {
      candidate.evidence.insert(.date)
      return
    }
    // The name may have the date of another time zone.
    let elsewhere = Self.clocks.map { published.advanced(byMilliseconds: $0 * 3_600_000).day }
    let isNear = dates.contains { days in days.contains { elsewhere[0] <= $0 && $0 <= elsewhere[1] } }
    if !isNear { candidate.contradictions.append(.date) }
  }

  /// - Returns: Whether a marked number agrees.
  private func compareNumbers(
    _ subject: Subject, _ entry: Entry, _ title: Range<Int>?, _ candidate: inout Candidate
  ) -> Bool {
    // The number of a track agrees or says nothing: it may be a place in a list.
    if let track = subject.file.tags?.track, entry.numbers.contains(track) { candidate.evidence.insert(.number) }
    let numbers = subject.reading.numbers(outside: title)
    guard !numbers.isEmpty, !entry.numbers.isEmpty else { return false }
    let agreeing = numbers.filter { number in
      entry.numbers.contains(number.number)
        && (number.season == nil || entry.episode.season == nil || number.season == entry.episode.season)
    }
    if !agreeing.isEmpty {
      candidate.evidence.insert(.number)
    } else if numbers.contains(where: \.isMarked) {
      candidate.contradictions.append(.number)
    }
    return agreeing.contains(where: \.isMarked)
  }

  private func compareLength(_ subject: Subject, _ entry: Entry, _ candidate: inout Candidate) {
    guard let length = entry.episode.enclosure?.length, length > 0, lengths.count(length) == 1 else { return }
    if length == subject.file.length {
      candidate.evidence.insert(.length)
    } else if subject.file.length > length.multipliedReportingOverflow(by: 2).partialValue
      || subject.file.length < length / 2
    {
      candidate.contradictions.append(.length)
    }
  }

  private func confidence(
    _ candidate: Candidate, _ subject: Subject, isUnique: Bool, hasMarkedNumber: Bool
  ) -> EpisodePairing.Confidence {
    guard candidate.contradictions.isEmpty else { return .doubtful }
    let evidence = candidate.evidence
    let hasDay = evidence.contains(.date) || evidence.contains(.modified)
    let support = [hasDay, evidence.contains(.number), evidence.contains(.length)].count { $0 }
    let hasTitle = evidence.contains(.title) || evidence.contains(.foldedTitle)
    let hasFileName = evidence.contains(.fileName)
    let names = [hasTitle, hasFileName, evidence.contains(.tags)].count { $0 }
    if names > 0, names + support >= 2 { return .certain }
    let tellsAlone =
      (hasTitle && isUnique) || (hasFileName && subject.fileNames.contains { $0.utf8.count >= Self.leastFileName })
      || (evidence.contains(.tags) && subject.tagKeys.contains { titles.count($0) == 1 })
    if tellsAlone, !candidate.hasOpenDate { return .likely }
    let isPartial = evidence.contains(.truncatedTitle) || evidence.contains(.titleAmongOthers)
    if isPartial, support > 0 { return .likely }
    let firm = [hasDay, hasMarkedNumber, evidence.contains(.length)].count { $0 }
    if firm >= 2 { return .likely }
    // Some feeds have two episodes a day: a day alone identifies none.
    return hasMarkedNumber && subject.reading.hasNoTitle ? .likely : .doubtful
  }
}

extension [String] {
  /// The elements without repetitions, in the order of their first places.
  fileprivate var uniqued: [String] {
    reduce(into: []) { texts, text in if !texts.contains(text) { texts.append(text) } }
  }
}
