import Flux
import PodfluxCore

/// An episode as its publisher knows it, and what the publisher's feed says of it now.
///
/// Publishers change what they say of an episode, but never everything at once: what stays the same is its `Constancy`.
/// So the rules of identity join all that a feed says of one episode, whichever of it a refresh has seen.
struct SimulatedItem: Hashable {
  /// What of an episode its publisher never changes.
  enum Constancy: CaseIterable {
    /// Title, date and length: guid and address of the file change.
    case headline
    /// Guid and title: the episode is posted again, with another date and another address.
    case guidAndTitle
    /// Guid and address: title and date change.
    case guidAndAddress
    /// Title and length. The guid is another one for a while, in which nothing else changes; then it is the former one
    /// again, and the date changes.
    case formerGuid
  }

  /// Which episode it truly is: no two in the world have the same number.
  let truth: Int
  let constancy: Constancy
  var guid: String?
  var address: WebAddress
  var title: String
  var published: Timestamp
  private(set) var seconds: Int64
  /// The bytes that the feed claims.
  let length: Int64?
  /// Whether another episode of the feed has its title, and had its date.
  private(set) var hasNamesake = false
  private var revision = 0
  /// Grows with each change of the notes.
  private var notesRevision = 0
  /// Whether the publisher has changed the guid for a while.
  private var isRenamed = false

  init(
    truth: Int, constancy: Constancy, hasGuid: Bool, title: String, file: WebAddress,
    using random: inout SeededGenerator
  ) throws {
    self.truth = truth
    self.constancy = constancy
    guid = hasGuid ? "g\(truth)" : nil
    self.title = title
    address = file
    published = Self.date(of: truth, revision: 0)
    seconds = Int64(random.within(60...7_200))
    length = random.once(in: 3) ? Int64(random.within(1_000...20_000)) : nil
  }

  /// A date that no other episode ever has.
  private static func date(of truth: Int, revision: Int) -> Timestamp {
    let date = Timestamp(milliseconds: World.beginning).advanced(byDays: -90)
      .advanced(byMilliseconds: Int64(truth) * 3_600_000 + Int64(revision) * 1_000)
    // Midnight would be a day alone, on which a feed may have several episodes with one title.
    return date.milliseconds.isMultiple(of: 86_400_000) ? date.advanced(byMilliseconds: 1_800_000) : date
  }

  /// Gives it the date of another episode that has its title, and about the same length: guid and address alone tell
  /// the two apart.
  mutating func becomeNamesake(of other: inout SimulatedItem) {
    (published, seconds) = (other.published, other.seconds + 1)
    (hasNamesake, other.hasNamesake) = (true, true)
  }

  /// Whether its guid always tells it from a namesake, and it has none.
  var mayHaveNamesake: Bool { guid != nil && constancy == .guidAndTitle && !hasNamesake }

  /// The publisher changes something of it.
  mutating func change(using random: inout SeededGenerator) {
    revision += 1
    switch constancy {
    case .headline:
      if guid != nil, random.once(in: 2) { guid = random.once(in: 3) ? "g\(truth)" : "g\(truth)-\(revision)" }
      if random.once(in: 2) { moveFile(using: &random) }
    case .guidAndTitle:
      if random.once(in: 2) { published = Self.date(of: truth, revision: revision) }
      if random.once(in: 2) { moveFile(using: &random) }
    case .guidAndAddress:
      if random.once(in: 2) { published = Self.date(of: truth, revision: revision) }
      if random.once(in: 2) { title = "Episode \(truth), revised \(revision)" }
    case .formerGuid:
      isRenamed.toggle()
      guid = isRenamed ? "h\(truth)" : "g\(truth)"
      if !isRenamed { published = Self.date(of: truth, revision: revision) }
    }
  }

  /// The publisher writes other notes, or none any more.
  mutating func changeNotes() { notesRevision += 1 }

  /// The file gets another address: another scheme, which is the same file for the rules of identity, or another query.
  private mutating func moveFile(using random: inout SeededGenerator) {
    let text = address.description
    let moved =
      if random.once(in: 3) {
        text.hasPrefix("https") ? "http" + text.dropFirst(5) : "https" + text.dropFirst(4)
      } else {
        // As a signature does; a name that journals know as a secret's would be blanked there, and could not be
        // replayed.
        "\(text.prefix { $0 != "?" })?e=\(truth)&revision=\(revision)"
      }
    address = (try? WebAddress(moved)) ?? address
  }

  /// Whether an address was its file's, and is no more: its publisher has signed another one since.
  func hasLeft(_ former: WebAddress) -> Bool {
    Self.truth(of: former) == truth && former.query != address.query
  }

  /// Of which episode an address is the file's, or was; nil if it does not say so.
  static func truth(of file: WebAddress) -> Int? {
    guard let query = file.query, query.hasPrefix("e=") else { return nil }
    return Int(query.dropFirst(2).prefix { $0 != "&" })
  }

  /// The item of an RSS document. `link` says which episode it truly is: no rule of identity looks at it.
  var markup: String { markup(namingSidecars: false, showingNotes: false) }

  /// The same, perhaps with chapters and a transcript, and with notes.
  func markup(namingSidecars namesSidecars: Bool, showingNotes showsNotes: Bool) -> String {
    var text = "<item><title>\(title)</title><link>\(Self.link(truth))</link>"
    if let guid { text += "<guid isPermaLink=\"false\">\(guid)</guid>" }
    text += "<dc:date>\(InternetDate.text(published))</dc:date><itunes:duration>\(seconds)</itunes:duration>"
    if namesSidecars { text += SimulatedSidecars.markup(of: truth) }
    if showsNotes { text += describing }
    let address = Self.escaped(address.description)
    return text + "<enclosure url=\"\(address)\" length=\"\(length ?? 0)\" type=\"audio/mpeg\"/></item>\n"
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    return text.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
  }

  /// What the library is to keep of its notes; empty if it has none now.
  var notes: String {
    (truth + notesRevision) % 5 == 0 ? "" : "<p>Notes of \(truth), \(notesRevision)</p>"
  }

  /// The notes as the feed has them: with a script, or as plain text.
  private var describing: String {
    guard !notes.isEmpty else { return "" }
    let text =
      truth % 2 == 0
      ? "<![CDATA[\(notes)<script>act()</script>]]>" : "Notes of \(truth), \(notesRevision)"
    return "<description>\(text)</description>"
  }

  private static let linkBeginning = "http://truth.example/"

  private static func link(_ truth: Int) -> String { "\(linkBeginning)\(truth)" }

  /// Which episode a content truly is; nil if it does not say so.
  static func truth(of content: EpisodeContent) -> Int? {
    guard let link = content.link?.description, link.hasPrefix(linkBeginning) else { return nil }
    // By bytes: this is asked of each episode again and again.
    return Int(Substring(link.utf8.dropFirst(linkBeginning.utf8.count)))
  }

  /// Whether a row has what the feed says of this episode.
  func isSaid(by content: EpisodeContent) -> Bool {
    Self.truth(of: content) == truth && content.guid == guid && content.title == title
      && content.published?.moment == published && content.seconds == seconds
      && content.enclosure?.address == address && content.enclosure?.length == length
  }
}

extension WebAddress {
  /// What follows the question mark; nil if there is none.
  fileprivate var query: Substring? {
    let text = description
    return text.utf8.firstIndex(of: UInt8(ascii: "?")).map { text[text.utf8.index(after: $0)...] }
  }
}

extension InternetDate {
  /// A timestamp as text.
  static func text(_ moment: Timestamp) -> String {
    var bytes: [UInt8] = []
    append(moment, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
