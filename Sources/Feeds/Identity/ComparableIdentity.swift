import Flux

/// An identity in the form in which identities are compared, with the names of one table.
struct ComparableIdentity: Hashable, Sendable {
  typealias Name = NameTable.Name

  let guid: Name?
  let enclosure: Name?
  let title: Name?
  let published: Timestamp?
  let seconds: Int64?
  let bytes: Int64?

  init(_ identity: EpisodeIdentity, names: inout NameTable) {
    guid = names.name(of: identity.guid)
    enclosure = names.name(of: identity.enclosure.map { EnclosureKey($0) })
    title = names.name(of: identity.title)
    published = identity.published
    seconds = identity.seconds
    bytes = identity.bytes
  }

  /// Title and date, if the episode has both.
  var headline: Headline? {
    guard let title, let published else { return nil }
    return Headline(title: title, published: published)
  }

  /// The result of comparing a value that not every episode has.
  enum Agreement {
    case equal, different
    /// At least one side has no value.
    case unknown

    init<Value: Equatable>(_ first: Value?, _ second: Value?) {
      guard let first, let second else {
        self = .unknown
        return
      }
      self = first == second ? .equal : .different
    }
  }

  /// Whether title and date are the same on both sides, and at least one of the two is known.
  func hasTitleAndDate(of other: Self) -> Bool {
    title == other.title && published == other.published && (title != nil || published != nil)
  }

  /// Whether title or date agrees, or neither can be compared.
  func hasTitleOrDate(of other: Self) -> Bool {
    let (titles, dates) = (Agreement(title, other.title), Agreement(published, other.published))
    return titles == .equal || dates == .equal || (titles == .unknown && dates == .unknown)
  }

  /// Whether two lengths are similar: by the seconds if both have them, else by the bytes. The files of one episode
  /// differ by the advertisements in them.
  func lengths(comparedWith other: Self) -> Similarity {
    if let seconds, let others = other.seconds {
      return Self.areSimilar(seconds, others, slack: Self.slackSeconds) ? .similar : .different
    }
    guard let bytes, let others = other.bytes else { return .unknown }
    return Self.areSimilar(bytes, others, slack: 0) ? .similar : .different
  }

  enum Similarity {
    case similar, different, unknown
  }

  /// The seconds by which lengths may differ however short they are.
  static let slackSeconds: Int64 = 60
  /// Longer ones may differ by this part.
  static let slackPart: Int64 = 8

  private static func areSimilar(_ first: Int64, _ second: Int64, slack: Int64) -> Bool {
    let (shorter, longer) = (max(0, min(first, second)), max(0, max(first, second)))
    return longer - shorter <= max(slack, longer / slackPart)
  }
}

/// What people tell episodes apart by.
struct Headline: Hashable, Sendable {
  let title: NameTable.Name
  let published: Timestamp
}
