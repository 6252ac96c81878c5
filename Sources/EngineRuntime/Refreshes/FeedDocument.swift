import Feeds
import Flux
import PodfluxCore

/// A feed's document as it is read, or its documents, one after the other: their items become what differs from what
/// the library knows.
///
/// It holds the identities of the known episodes and the differences that have not been taken, however long the
/// document is.
struct FeedDocument {
  /// The findings about the items so far that are not reported yet.
  private(set) var appeared = PagedNews<EpisodeContent>(\.notes)
  private(set) var changed = PagedNews<RefreshReport.EpisodeChange>(\.content.notes)
  /// Known episodes that had left the feed and are in it again.
  private(set) var returned: [EpisodeID] = []
  /// How many items were episodes that the library knows.
  private(set) var matched = 0
  /// How many items were no repetitions of others, those of former documents included.
  private(set) var distinct = 0
  /// How many items the present document has so far, and how many of them, at its end, were episodes that the library
  /// knew when the feed was last read without a gap.
  private var (items, knownAtEnd) = (0, 0)
  /// The known episodes of this document and of former ones.
  private var seen: Set<Int64> = []
  /// The newest episode of the library then.
  private let readTo: Int64
  /// The newest episode of the library before the first document of this reading.
  private let lastKnown: Int64
  /// Whether an item is new, or says something else than the library knows.
  private(set) var hasDifferences = false
  /// Whether the notes of an episode that the library knows are other ones than it has.
  private(set) var hasOtherNotes = false
  /// Whether notes were left out, because too many wait to be reported.
  private var leavesNotes = false
  /// The items that may be known episodes if no later one is.
  private var undecided: [Item] = []
  /// The dates of the newest items, the latest first.
  private(set) var latest: [Timestamp] = []
  /// How many episodes the library knows of the feed, those of this document included.
  private(set) var count: Int

  /// An episode of the document: what the library keeps of it, and what it says at length.
  private struct Item {
    var content: EpisodeContent
    let description: String?

    init(_ episode: FeedEpisode, without secret: AddressSecret?) {
      content = EpisodeContent(episode).without(secret)
      description = episode.description
    }
  }

  private var parser: FeedParser
  private var matcher: EpisodeMatcher
  private let known: [Int64: EpisodeTraces]
  private let keepsNotes: Bool
  private let undecidedItems: Int
  private let secret: AddressSecret?

  /// - Parameters:
  ///   - readTo: The newest episode of the library when the feed was last read without a gap.
  ///   - keepsNotes: Whether the notes of episodes are read; the traces have the hashes of those that are known then.
  ///   - undecidedItems: How many items that may be known episodes are held until the others had their turn.
  ///   - secret: What is left out of the addresses of the document.
  ///   - former: The document of the same feed before this one, whose episodes are known by now; nil for the first.
  init(
    at address: WebAddress?, charset: String?, known: [EpisodeTraces], readTo: Int64, keepsNotes: Bool,
    undecidedItems: Int = RefreshLimits.undecidedItems, secret: AddressSecret? = nil, behind former: FeedDocument? = nil
  ) {
    parser = FeedParser(address: address, charset: charset, keepsDescriptions: keepsNotes)
    self.keepsNotes = keepsNotes
    self.undecidedItems = undecidedItems
    self.secret = secret
    matcher = EpisodeMatcher(known.map(KnownEpisode.init))
    self.known = Dictionary(known.map { ($0.id.number, $0) }) { first, _ in first }
    count = known.count
    self.readTo = readTo
    lastKnown = former?.lastKnown ?? known.map(\.id.number).max() ?? 0
    if let former { (seen, distinct) = (former.seen, former.distinct) }
  }

  /// Begins a further document of the same feed, of which nothing is known but what former ones had. What is told of
  /// those must have been taken.
  mutating func beginFurther(at address: WebAddress?, charset: String?) {
    parser = FeedParser(address: address, charset: charset, keepsDescriptions: keepsNotes)
    returned = []
    (items, knownAtEnd) = (0, 0)
  }

  /// Whether older documents of the feed have nothing new: this one has only episodes that the library knew when the
  /// feed was last read without a gap, or ends with several. One says nothing: a publisher may pin an old episode, or
  /// publish it once more, amid new ones.
  var leadsToKnown: Bool {
    items > 0 && knownAtEnd >= min(items, RefreshLimits.knownEpisodesAtEnd)
  }

  /// What is known of the podcast so far.
  var podcast: PodcastContent { PodcastContent(parser.podcast).without(secret) }

  /// Whether all notes of the document so far were reported, or are known.
  var hasAllNotes: Bool { keepsNotes && !leavesNotes }

  /// How many differences wait to be taken.
  var pending: Int { appeared.count + changed.count }

  mutating func parse(_ bytes: UnsafeRawBufferPointer) {
    var found: [Item] = []
    parser.parse(bytes) { found.append(Item($0, without: secret)) }
    takeAll(&found)
  }

  /// Ends the document, and says what it was.
  mutating func finish() -> FeedOutcome {
    var found: [Item] = []
    let outcome = parser.finish { found.append(Item($0, without: secret)) }
    takeAll(&found)
    let isWhole = if case .feed(let report) = outcome { report.isWhole } else { false }
    let identities = undecided.map { EpisodeIdentity($0.content) }
    for ((item, identity), match) in zip(zip(undecided, identities), decide(identities)) {
      // Of a document that ends early the item that is the known episode may not have come: the next refresh decides.
      if isWhole || match == .new { take(item, as: identity, match) }
    }
    undecided = []
    return outcome
  }

  /// The known episodes that the document does not have, of those that were in the feed until now.
  /// None if not all items were looked at.
  var missing: [EpisodeID] {
    guard items < RefreshLimits.items else { return [] }
    return matcher.unmatched.filter { known[$0]?.isMissingFromFeed == false }.map(EpisodeID.init(number:))
  }

  mutating func takeAppeared() -> [EpisodeContent] { appeared.takePage() }

  mutating func takeChanged() -> [RefreshReport.EpisodeChange] { changed.takePage() }

  /// What undecided items are. One with a guid of its own is not an episode that a former document of this reading had;
  /// one without may be that, which has changed and moved on to another document meanwhile.
  private mutating func decide(_ identities: [EpisodeIdentity]) -> [EpisodeMatcher.Match] {
    zip(identities, matcher.decide(identities)).map { identity, match in
      guard case .known(let key) = match, seen.contains(key) || key > lastKnown, let guid = identity.guid,
        let former = known[key]?.guid, guid != former
      else { return match }
      return .new
    }
  }

  /// Takes items in their order. From the end of the array each is moved out, not copied.
  private mutating func takeAll(_ found: inout [Item]) {
    found.reverse()
    while let item = found.popLast() { take(item) }
  }

  private mutating func take(_ item: consuming Item) {
    guard items < RefreshLimits.items else { return }
    note(item.content.published?.moment)
    let identity = EpisodeIdentity(item.content)
    var match = matcher.match(identity)
    count(match)
    if match == .undecided {
      guard undecided.count >= undecidedItems else { return undecided.append(item) }
      match = decide([identity]).first ?? .new
    }
    take(item, as: identity, match)
  }

  private mutating func take(
    _ item: consuming Item, as identity: EpisodeIdentity, _ match: EpisodeMatcher.Match
  ) {
    switch match {
    case .repeated, .undecided: break
    case .new:
      distinct += 1
      guard count < RefreshLimits.episodes else { return }
      count += 1
      hasDifferences = true
      item.content.notes = newNotes(item.description, knownAs: nil)
      appeared.append(item.content)
    case .known(let key):
      matched += 1
      if seen.insert(key).inserted { distinct += 1 }
      guard let traces = known[key] else { return }
      item.content.notes = newNotes(item.description, knownAs: traces.notesHash)
      let isOther = item.content.fingerprint != traces.fingerprint
      guard isOther || item.content.notes != nil else {
        if traces.isMissingFromFeed { returned.append(traces.id) }
        return
      }
      if isOther { hasDifferences = true }
      if item.content.notes != nil { hasOtherNotes = true }
      // It is in the feed again once it is written.
      let names = KnownEpisode(traces).formerNames(afterBecoming: identity)
      changed.append(
        .init(
          id: traces.id, content: item.content,
          formerNames: .init(guids: names.guids, enclosures: names.enclosures)))
    }
  }

  /// The notes of an episode with this description, if they are other ones than those with this hash, and there is room
  /// for them.
  private mutating func newNotes(_ description: String?, knownAs hash: Int64?) -> EpisodeNotes? {
    guard keepsNotes else { return nil }
    let text = description ?? ""
    let notes = NotesHTML.notes(secret?.parameter.removedAnywhere(in: text) ?? text)
    guard notes.isEmpty ? hash != nil : notes.hash != hash else { return nil }
    let waiting = appeared.notesBytes + changed.notesBytes
    guard waiting + notes.html.utf8.count <= RefreshLimits.notesBytes else {
      leavesNotes = true
      return nil
    }
    return notes
  }

  /// Counts an item. What an undecided one is turns out behind the end: until then it may be new.
  private mutating func count(_ match: EpisodeMatcher.Match) {
    guard match != .repeated else { return }
    items += 1
    if case .known(let key) = match, key <= readTo { knownAtEnd += 1 } else { knownAtEnd = 0 }
  }

  private mutating func note(_ moment: Timestamp?) {
    guard let moment, latest.count < RefreshRhythm.episodes || moment > (latest.last ?? moment) else { return }
    let place = latest.firstIndex { $0 < moment } ?? latest.endIndex
    latest.insert(moment, at: place)
    if latest.count > RefreshRhythm.episodes { latest.removeLast() }
  }
}

extension KnownEpisode {
  fileprivate init(_ traces: EpisodeTraces) {
    self.init(
      key: traces.id.number,
      identity: EpisodeIdentity(
        guid: traces.guid, enclosure: traces.enclosure, title: traces.title, published: traces.published,
        seconds: traces.seconds, bytes: traces.bytes),
      formerGuids: traces.formerNames.guids, formerEnclosures: traces.formerNames.enclosures)
  }
}

extension EpisodeIdentity {
  /// As the library keeps it: what is cut there is compared as it was cut.
  fileprivate init(_ content: EpisodeContent) {
    self.init(
      guid: content.guid, enclosure: content.enclosure?.address, title: content.title,
      published: content.published?.moment, isDateOnly: content.published?.isMidnight ?? false,
      seconds: content.seconds, bytes: content.enclosure?.length)
  }
}
