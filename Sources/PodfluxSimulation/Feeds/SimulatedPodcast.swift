import EngineRuntime
import Flux
import PodfluxCore

/// A podcast with its episodes, as its publisher changes it. Where it can be read say `FeedPlace`s.
struct SimulatedPodcast {
  /// The peculiarity of a podcast's feed.
  enum Oddity: CaseIterable {
    case none
    /// No episode has a guid.
    case withoutGuids
    /// All episodes have one title.
    case oneTitle
    /// All files have one address.
    case oneFile
    /// There are more episodes than one report tells of.
    case many
    /// The same, and the document is so long that a refresh does not hold it, but reads it as it comes.
    case long

    var hasMany: Bool { self == .many || self == .long }
  }

  let number: Int
  let oddity: Oddity
  /// Whether it has a `podcast:guid`.
  let hasGuid: Bool
  var guid: String? { hasGuid ? "podcast-\(number)" : nil }

  /// Whether a row has read this podcast's feed last: its number is in each of its titles.
  func isTold(in content: PodcastContent?) -> Bool {
    content?.title.map { $0 == "Podcast \(number)" || $0.hasPrefix("Podcast \(number),") } ?? false
  }

  /// The episodes in the order of the document.
  private(set) var items: [SimulatedItem] = []
  /// Whether it names its picture, and chapters and transcripts of its episodes.
  var namesSidecars = false
  /// Whether its episodes have notes.
  var showsNotes = false
  /// Whether its guids are the positions of its items, where all have one title: each new episode shifts them all.
  private let hasPositions: Bool
  /// Whether its feed is divided into documents of some episodes each (RFC 5005 section 3).
  var isDivided = false
  /// Episodes that have left the feed.
  private var gone: [SimulatedItem] = []
  /// All episodes that it ever had.
  private(set) var truths: Set<Int> = []
  private(set) var title: String
  /// Grows with each change.
  private(set) var version = 0
  private var buildNumber = 0
  /// The item that the document has twice, if any.
  private var repeated: Int?

  /// How many episodes a document of a divided feed has.
  private static let documentLength = 3
  /// How many episodes a feed has at most, but for those with many.
  private static let limit = 9

  /// - Parameter numbersItems: Whether its guids are positions, if all of its episodes have one title.
  init(
    number: Int, files: [SimulatedOrigin], numbersItems: Bool, nextTruth: inout Int,
    using random: inout SeededGenerator
  ) throws {
    self.number = number
    let isLong = random.once(in: 200)
    oddity =
      isLong
      ? .long : random.once(in: 24) ? .many : random.pick([.none, .none, .withoutGuids, .oneTitle, .oneFile])
    hasPositions = numbersItems && oddity == .oneTitle
    hasGuid = random.once(in: 2)
    title = "Podcast \(number)"
    let count = oddity.hasMany ? random.within(70...150) : random.within(1...5)
    for _ in 0..<count { try add(files, &nextTruth, using: &random) }
    numberItems()
  }

  // MARK: Change

  /// The publisher changes something.
  mutating func change(_ files: [SimulatedOrigin], nextTruth: inout Int, using random: inout SeededGenerator) throws {
    version += 1
    repeated = nil
    switch random.below(16) {
    case 0...3: try add(files, &nextTruth, using: &random)
    case 4...5: leave(items.count - 1)
    case 6: if !items.isEmpty { leave(random.below(items.count)) }
    case 7: if items.count > 1 { items.append(items.remove(at: random.below(items.count - 1))) }
    case 8...9: if !gone.isEmpty { items.insert(gone.remove(at: random.below(gone.count)), at: 0) }
    case 10: title = "Podcast \(number), \(version)"
    case 11: buildNumber += 1
    case 12: repeated = items.isEmpty ? nil : random.below(items.count)
    // Of a position, whose file is another one too, nothing but the date would tell which episode has it.
    default: if !items.isEmpty, !hasPositions { items[random.below(items.count)].change(using: &random) }
    }
    if !oddity.hasMany, items.count > Self.limit { leave(items.count - 1) }
    numberItems()
    // Without a draw: a world without notes draws as if there were none.
    if showsNotes, version % 2 == 0, !items.isEmpty { items[version / 2 % items.count].changeNotes() }
  }

  private mutating func numberItems() {
    guard hasPositions else { return }
    for index in items.indices { items[index].guid = "\(index + 1)" }
  }

  /// The document becomes another one that says the same.
  mutating func rebuild() {
    buildNumber += 1
    version += 1
  }

  private mutating func leave(_ index: Int) {
    // An episode with the position of one that is gone could be that, posted again.
    guard items.indices.contains(index), !items[index].hasNamesake, !hasPositions else { return }
    gone.append(items.remove(at: index))
    if gone.count > Self.limit { gone.removeFirst() }
  }

  private mutating func add(
    _ files: [SimulatedOrigin], _ nextTruth: inout Int, using random: inout SeededGenerator
  ) throws {
    let truth = nextTruth
    nextTruth += 1
    truths.insert(truth)
    let file = random.pick(files).address
    let address = oddity == .oneFile ? files[number % files.count].address : try WebAddress("\(file)?e=\(truth)")
    // The publisher uses the guid of an episode that is gone again, with everything else different.
    let former =
      oddity == .none && random.once(in: 2) ? gone.firstIndex { $0.constancy == .headline && $0.guid != nil } : nil
    let constancy: SimulatedItem.Constancy =
      switch oddity {
      case _ where former != nil: .headline
      case .withoutGuids: .headline
      // A change of the address would give the episode another file.
      case .oneFile: .guidAndAddress
      // A change of the title would break the podcast's peculiarity.
      case .oneTitle: random.pick([.headline, .guidAndTitle, .formerGuid])
      case .none, .many, .long: random.pick(SimulatedItem.Constancy.allCases)
      }
    var item = try SimulatedItem(
      truth: truth, constancy: constancy, hasGuid: oddity != .withoutGuids,
      title: oddity == .oneTitle ? "News" : "Episode \(truth)", file: address, using: &random)
    if let former { item.guid = gone.remove(at: former).guid }
    // Two of one day. In a document that is not read, or when it is gone, the other one would not be told from it.
    // Without a draw: all else is as it would be without namesakes.
    if oddity == .oneTitle, !isDivided, !hasPositions, item.mayHaveNamesake, truth.isMultiple(of: 2),
      let other = items.firstIndex(where: \.mayHaveNamesake)
    {
      item.becomeNamesake(of: &items[other])
    }
    items.insert(item, at: 0)
  }

  // MARK: The document

  /// How many documents the feed has: one, if two episodes of it are told apart only where both are seen.
  private var documentCount: Int {
    guard isDivided, !oddity.hasMany, !items.contains(where: \.hasNamesake) else { return 1 }
    return max(1, (items.count + Self.documentLength - 1) / Self.documentLength)
  }

  /// What a document of the feed has; nil if there is no such document.
  ///
  /// - Parameter number: Which document it is, from 1.
  func part(_ number: Int) -> FeedAnswer.Part? {
    guard (1...documentCount).contains(number) else { return nil }
    guard documentCount > 1 else { return FeedAnswer.Part(items: items) }
    let start = (number - 1) * Self.documentLength
    return FeedAnswer.Part(
      items: Array(items[start..<min(start + Self.documentLength, items.count)]), number: number,
      isLast: number == documentCount)
  }

  /// A document as it is now.
  ///
  /// - Parameters:
  ///   - part: What it has.
  ///   - address: Where it says that the feed is from now on; nil if it says nothing.
  ///   - next: Where the next document of the feed is; nil if there is none.
  func document(_ part: FeedAnswer.Part, leadingTo address: WebAddress?, next: String?) -> [UInt8] {
    var text = """
      <?xml version="1.0" encoding="utf-8"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" \
      xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel><title>\(title)</title><generator>build \(buildNumber)</generator>

      """
    if namesSidecars { text += "<itunes:image href=\"\(SimulatedSidecars.picture(of: number))\"/>\n" }
    if let guid { text += "<podcast:guid>\(guid)</podcast:guid>\n" }
    if let next {
      text += "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"next\" href=\"\(next)\"/>\n"
    }
    if let address { text += "<itunes:new-feed-url>\(address)</itunes:new-feed-url>\n" }
    let filling = oddity == .long ? Self.filling : []
    var rest = ""
    let repetition = repeated.flatMap { part.items.indices.contains($0) ? part.items[$0] : nil }
    for item in part.items + (repetition.map { [$0] } ?? []) {
      rest += item.markup(namingSidecars: namesSidecars, showingNotes: showsNotes)
    }
    rest += "</channel></rss>\n"
    var document: [UInt8] = []
    document.reserveCapacity(text.utf8.count + filling.count + rest.utf8.count)
    document += text.utf8
    document += filling
    document += rest.utf8
    return document
  }

  /// What makes a document longer than what a refresh holds.
  private static let filling =
    Array("<!--".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: RefreshLimits.heldBytes) + Array("-->\n".utf8)
}
