/// Finds out which known episode an item of a feed is.
///
/// The items of a document are handed in one at a time, in its order. Two episodes that are taken for one are a loss,
/// one that is taken for two is a nuisance: in doubt an item is a new episode. The rules, the first that finds one
/// decides:
///
/// 1. **Everything is as it was.**
/// 2. **The guid**, now or formerly, if exactly one known episode has it, and enclosure or date is as it was. If only
///    the title is, a later item may be the episode by another rule: this one decides last, behind the document's end,
///    and not if the lengths differ, or several known episodes have that title, or have none: the guid may be a
///    position in the feed. If all have changed, the publisher uses the guid again.
/// 3. **The enclosure's URL** in comparable form (`EnclosureKey`), now or formerly, if title or date agrees or neither
///    can be compared. Title and date must both be as they were if the guids differ, or if several known episodes have
///    the URL, as in feeds whose episodes are all `latest.mp3`.
/// 4. **Title and exact date**, with a similar length. Where lengths are unknown, neither guid nor URL may speak
///    against it, but for the URL's query, or if the guids are equal and the date is no mere day; nor may both, where
///    the date is a day and several episodes have the title. A later item of the document may be the episode by a
///    stronger rule: two episodes of one day can have one title. So this rule decides at the document's end, and for no
///    item with a new guid while another one that has changed has the episode's.
///
/// An item repeats an earlier one of the document if guid, URL, and title or date are equal; without a guid if URL,
/// title and date are; without a URL too, if everything is.
///
/// A known episode is at most one item of a document. An item costs O(1): of episodes with equal names
/// `CandidateIndex.limit` are compared.
package struct EpisodeMatcher: Sendable {
  /// What an item is.
  package enum Match: Hashable, Sendable {
    /// The known episode with this key.
    case known(Int64)
    case new
    /// An earlier item of the document.
    case repeated
    /// A known episode by its title and its guid or date, unless a later item is that: `decide` is to be asked behind
    /// the last item.
    case undecided
  }

  private typealias Name = NameTable.Name

  private var names: NameTable
  private var known: [Entry]
  private var isTaken: [Bool]
  private var images = CandidateIndex<ComparableIdentity>()
  private var guids = CandidateIndex<Name>()
  private var formerGuids = CandidateIndex<Name>()
  private var enclosures = CandidateIndex<Name>()
  private var formerEnclosures = CandidateIndex<Name>()
  private var headlines = CandidateIndex<Headline>()
  /// Of the items with a guid the first with each: most feeds have no second one.
  private var firstItems = NameMap<ComparableIdentity>()
  /// The names of the other items, and of the first with the same guid.
  private var items: Set<ItemName> = []
  /// By their guids the known episodes that items have of which nothing else but perhaps the title is as it was.
  private var claims: [Name: Set<Int>] = [:]
  /// The titles that several known episodes have, nil for none; nil before they are asked for.
  private var sharedTitles: Set<Name?>?

  private struct Entry: Sendable {
    let key: Int64
    let identity: ComparableIdentity
    /// Without those that it has now, each once.
    let formerGuids: [Name]
    let formerEnclosures: [Name]

    init(_ episode: KnownEpisode, names: inout NameTable) {
      key = episode.key
      identity = ComparableIdentity(episode.identity, names: &names)
      formerGuids = Self.names(episode.formerGuids, without: identity.guid) { names.name(of: ExactText($0)) }
      formerEnclosures = Self.names(episode.formerEnclosures, without: identity.enclosure) {
        names.name(of: EnclosureKey($0).text)
      }
    }

    private static func names<Text>(_ texts: [Text], without current: Name?, name: (Text) -> Name) -> [Name] {
      texts.suffix(KnownEpisode.formerNameLimit).reduce(into: []) { names, text in
        let name = name(text)
        if name != current, !names.contains(name) { names.append(name) }
      }
    }
  }

  /// A name by which an item of the document is known again in it.
  private enum ItemName: Hashable, Sendable {
    case titled(guid: Name, enclosure: Name?, title: Name?)
    case dated(guid: Name, enclosure: Name?, published: Int64?)
    case placed(enclosure: Name, title: Name?, published: Int64?)
    case whole(ComparableIdentity)
  }

  /// A matcher for one document of a feed of which these episodes are known. Their keys are different.
  package init(_ known: [KnownEpisode]) {
    var names = NameTable(capacity: 3 * known.count)
    self.known = known.sorted { $0.key < $1.key }.map { Entry($0, names: &names) }
    self.names = names
    isTaken = [Bool](repeating: false, count: known.count)
    images.reserve(known.count)
    guids.reserve(known.count)
    enclosures.reserve(known.count)
    headlines.reserve(known.count)
    for (index, entry) in self.known.enumerated() {
      let identity = entry.identity
      images.insert(index, under: identity)
      if let guid = identity.guid { guids.insert(index, under: guid) }
      if let enclosure = identity.enclosure { enclosures.insert(index, under: enclosure) }
      if let headline = identity.headline { headlines.insert(index, under: headline) }
      for guid in entry.formerGuids { formerGuids.insert(index, under: guid) }
      for enclosure in entry.formerEnclosures { formerEnclosures.insert(index, under: enclosure) }
    }
  }

  /// What the item is.
  package mutating func match(_ item: EpisodeIdentity) -> Match {
    let isDateOnly = item.isDateOnly
    let item = ComparableIdentity(item, names: &names)
    guard remember(item) else { return .repeated }
    if let index = findByName(item) { return take(index) }
    noteClaim(of: item)
    let index = findByHeadline(item, isDateOnly: isDateOnly, mindingClaims: false) ?? findByGuidAndTitle(item)
    return index == nil ? .new : .undecided
  }

  /// What undecided items are, now that the others had their turn: known or new. Title and date go before guid and
  /// title. Cost: at most the square of their number.
  package mutating func decide(_ items: [EpisodeIdentity]) -> [Match] {
    let compared = items.map { ($0.isDateOnly, ComparableIdentity($0, names: &names)) }
    var matches = [Match?](repeating: nil, count: items.count)
    var isClaimGone = true
    while isClaimGone {
      isClaimGone = false
      for (place, (isDateOnly, item)) in compared.enumerated() where matches[place] == nil {
        guard let index = findByHeadline(item, isDateOnly: isDateOnly, mindingClaims: true) else { continue }
        if let guid = item.guid, claims.removeValue(forKey: guid) != nil { isClaimGone = true }
        matches[place] = take(index)
      }
    }
    for index in matches.indices where matches[index] == nil {
      matches[index] = findByGuidAndTitle(compared[index].1).map { take($0) }
    }
    return matches.map { $0 ?? .new }
  }

  private mutating func take(_ index: Int) -> Match {
    isTaken[index] = true
    return .known(known[index].key)
  }

  /// The known episodes that no item was so far, in the order of their keys.
  package var unmatched: [Int64] {
    zip(known, isTaken).filter { !$0.1 }.map(\.0.key)
  }

  /// Whether no earlier item was the same.
  private mutating func remember(_ item: ComparableIdentity) -> Bool {
    guard let guid = item.guid else {
      guard let enclosure = item.enclosure else { return items.insert(.whole(item)).inserted }
      let published = item.published?.milliseconds
      return items.insert(.placed(enclosure: enclosure, title: item.title, published: published)).inserted
    }
    guard let first = firstItems[guid] else {
      firstItems.insert(item, for: guid)
      return true
    }
    _ = remember(first, guid: guid)
    return remember(item, guid: guid)
  }

  /// Whether no earlier item of those with the same guid was the same.
  private mutating func remember(_ item: ComparableIdentity, guid: Name) -> Bool {
    let published = item.published?.milliseconds
    // Both are inserted, also those of a repetition.
    let isTitleNew = items.insert(.titled(guid: guid, enclosure: item.enclosure, title: item.title)).inserted
    let isDateNew = items.insert(.dated(guid: guid, enclosure: item.enclosure, published: published)).inserted
    return isTitleNew && isDateNew
  }

  // MARK: The rules

  private mutating func findByName(_ item: ComparableIdentity) -> Int? {
    images.candidates(named: item, isTaken: isTaken).first ?? findByGuid(item) ?? findByEnclosure(item)
  }

  private mutating func findByGuid(_ item: ComparableIdentity) -> Int? {
    bearers(ofGuid: item.guid).first { index in
      enclosures(of: item, and: index) != .different
        || ComparableIdentity.Agreement(item.published, known[index].identity.published) != .different
    }
  }

  private mutating func findByGuidAndTitle(_ item: ComparableIdentity) -> Int? {
    guard let index = bearers(ofGuid: item.guid).first(where: { hasTitle(of: item, $0) }) else { return nil }
    let identity = known[index].identity
    let isDoubtful = item.title == identity.title && isTitleShared(item.title)
    return isDoubtful || item.lengths(comparedWith: identity) == .different ? nil : index
  }

  /// The known episode that has or had a guid; none if it is no identifier, because several have it.
  private mutating func bearers(ofGuid guid: Name?) -> [Int] {
    guard let guid else { return [] }
    return switch (guids.count(of: guid), formerGuids.count(of: guid)) {
    case (1, _): guids.candidates(named: guid, isTaken: isTaken)
    case (0, 1): formerGuids.candidates(named: guid, isTaken: isTaken)
    default: []
    }
  }

  private mutating func findByEnclosure(_ item: ComparableIdentity) -> Int? {
    guard let enclosure = item.enclosure else { return nil }
    let shares = enclosures.count(of: enclosure)
    guard shares <= 1 else {
      let candidates =
        if let headline = item.headline {
          headlines.candidates(named: headline, isTaken: isTaken)
        } else {
          enclosures.candidates(named: enclosure, isTaken: isTaken)
        }
      return candidates.first {
        known[$0].identity.enclosure == enclosure && known[$0].identity.hasTitleAndDate(of: item)
      }
    }
    let isShared = shares + formerEnclosures.count(of: enclosure) > 1
    var candidates = enclosures.candidates(named: enclosure, isTaken: isTaken)
    candidates += formerEnclosures.candidates(named: enclosure, isTaken: isTaken)
    return candidates.first { index in
      let identity = known[index].identity
      let isStrict = isShared || guids(of: item, and: index) == .different
      return isStrict ? identity.hasTitleAndDate(of: item) : identity.hasTitleOrDate(of: item)
    }
  }

  /// A guid that several known episodes have claims each with the item's title: none is the item by it, nor is it a
  /// namesake's.
  private mutating func noteClaim(of item: ComparableIdentity) {
    guard let guid = item.guid else { return }
    let bearers =
      guids.candidates(named: guid, isTaken: isTaken) + formerGuids.candidates(named: guid, isTaken: isTaken)
    let claimed = bearers.filter { hasTitle(of: item, $0) }
    if !claimed.isEmpty { claims[guid, default: []].formUnion(claimed) }
  }

  /// Whether a known episode's title is an item's, as far as both have one.
  private func hasTitle(of item: ComparableIdentity, _ index: Int) -> Bool {
    ComparableIdentity.Agreement(item.title, known[index].identity.title) != .different
  }

  /// Whether another item may be a known episode, by its guid, and this one's guid is new: then it is not that.
  private func isClaimed(_ index: Int, against item: ComparableIdentity) -> Bool {
    guard let guid = item.guid, guids(of: item, and: index) == .different, guids.count(of: guid) == 0 else {
      return false
    }
    if let present = known[index].identity.guid, isClaimed(index, by: present) { return true }
    return known[index].formerGuids.contains { isClaimed(index, by: $0) }
  }

  /// Whether an item with this guid may be a known episode.
  private func isClaimed(_ index: Int, by guid: Name) -> Bool {
    claims[guid]?.contains(index) ?? false
  }

  /// - Parameter mindsClaims: Whether episodes that other items may be are left out: known at the document's end only.
  private mutating func findByHeadline(
    _ item: ComparableIdentity, isDateOnly: Bool, mindingClaims mindsClaims: Bool
  ) -> Int? {
    guard let headline = item.headline else { return nil }
    var unmeasured: Int?
    for index in headlines.candidates(named: headline, isTaken: isTaken) {
      guard !(mindsClaims && isClaimed(index, against: item)) else { continue }
      let identity = known[index].identity
      switch item.lengths(comparedWith: identity) {
      // A bulletin has several episodes a day, with one title, and of one length.
      case .similar
      where isDateOnly && isTitleShared(headline.title) && guids(of: item, and: index) == .different
        && enclosures(of: item, and: index) == .different:
        continue
      case .similar: return index
      case .unknown where unmeasured == nil:
        let isMoved = enclosures(of: item, and: index) == .different && !isSignedAnew(item, identity)
        switch guids(of: item, and: index) {
        case .equal where !isDateOnly || !isMoved: unmeasured = index
        case .unknown where !isMoved: unmeasured = index
        case .equal, .unknown, .different: break
        }
      case .unknown, .different: break
      }
    }
    return unmeasured
  }

  /// Whether several known episodes have a title, or none. Cost: the known episodes, the first time.
  private mutating func isTitleShared(_ title: Name?) -> Bool {
    if let sharedTitles { return sharedTitles.contains(title) }
    var (seen, shared): (Set<Name?>, Set<Name?>) = ([], [])
    for name in known.map(\.identity.title) where !seen.insert(name).inserted { shared.insert(name) }
    sharedTitles = shared
    return shared.contains(title)
  }

  /// Whether an item has one of a known episode's enclosures.
  private func enclosures(of item: ComparableIdentity, and index: Int) -> ComparableIdentity.Agreement {
    if let enclosure = item.enclosure, known[index].formerEnclosures.contains(enclosure) { return .equal }
    return ComparableIdentity.Agreement(item.enclosure, known[index].identity.enclosure)
  }

  /// Whether an item has one of a known episode's guids.
  private func guids(of item: ComparableIdentity, and index: Int) -> ComparableIdentity.Agreement {
    if let guid = item.guid, known[index].formerGuids.contains(guid) { return .equal }
    return ComparableIdentity.Agreement(item.guid, known[index].identity.guid)
  }

  private func isSignedAnew(_ item: ComparableIdentity, _ other: ComparableIdentity) -> Bool {
    guard let enclosure = item.enclosure, let others = other.enclosure else { return false }
    return EnclosureKey.differOnlyInQuery(names.text(of: enclosure), names.text(of: others))
  }
}
