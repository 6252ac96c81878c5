import EngineRuntime
import Flux
import PodfluxCore

/// An address at which a feed can be read, or could be, and how its server behaves.
struct FeedPlace {
  /// What a request finds there.
  enum Content: Hashable {
    case feed
    /// The feed, which says that it is at another place from now on.
    case feedLeadingTo(Int)
    /// A redirect to another place.
    case redirect(to: Int, isPermanent: Bool)
    case status(Int)
    /// By a mistake of the server, another podcast's feed, as if it were this one.
    case mistaken(podcast: Int)
  }

  /// Which validators the server sends, and how it answers conditional requests.
  enum Validators: CaseIterable {
    /// Each body has a tag of its own, and a 304 is true.
    case tags
    /// The same with dates.
    case dates
    case none
    /// Each answer has another tag, also for the same body.
    case changing
    /// All bodies have one tag, and no request is answered with 304.
    case oneTag
    /// All bodies have one tag, and a request with it is answered with 304.
    case oneTagBelieved

    /// Whether what they say is true.
    var areTrue: Bool {
      switch self {
      case .tags, .dates, .none, .changing: true
      case .oneTag, .oneTagBelieved: false
      }
    }
  }

  let address: WebAddress
  /// The podcast whose feed is there.
  let podcast: Int
  var content = Content.feed
  var validators = Validators.tags
  /// Whether the server always says the truth about its bodies: its validators may be believed for ever.
  let isHonest: Bool
  private var answers = 0

  init(_ address: WebAddress, of podcast: Int, isHonest: Bool) {
    self.address = address
    self.podcast = podcast
    self.isHonest = isHonest
  }

  /// The podcast whose feed its server sends.
  var shownPodcast: Int {
    if case .mistaken(let other) = content { other } else { podcast }
  }

  /// The fields of an answer with this body, of this version, and whether it is a 304.
  mutating func validate(_ body: [UInt8], version: Int, for request: HTTPRequest) -> (fields: [HTTPField], is304: Bool)
  {
    answers += 1
    let tag: String? =
      switch validators {
      case .tags: "\"\(String(Self.hash(body), radix: 36))\""
      case .changing: "\"\(String(Self.hash(Array(address.description.utf8)), radix: 36))-\(answers)\""
      case .oneTag, .oneTagBelieved: "\"\(podcast)\""
      case .dates, .none: nil
      }
    let date = validators == .dates ? Self.date(version, of: shownPodcast) : nil
    var fields: [HTTPField] = []
    if let tag { fields.append(HTTPField(name: "ETag", value: tag)) }
    if let date { fields.append(HTTPField(name: "Last-Modified", value: date)) }
    let is304 =
      if let wanted = request.condition("If-None-Match") {
        wanted == tag && validators != .oneTag
      } else if let since = request.condition("If-Modified-Since") {
        since == date
      } else {
        false
      }
    return (fields, is304)
  }

  private static func hash(_ body: [UInt8]) -> UInt64 {
    var hash = StableHash()
    body.withUnsafeBytes { hash.mix($0) }
    return hash.value
  }

  /// A date in the form of HTTP, another one for each version of each podcast.
  private static func date(_ version: Int, of podcast: Int) -> String {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = ["Fri, 01", "Sat, 02", "Sun, 03"][podcast % 3]
    return "\(day) Jan 2027 \(digits(version / 3600 % 24)):\(digits(version / 60 % 60)):\(digits(version % 60)) GMT"
  }
}

extension HTTPRequest {
  /// The value of a field of the engine's own.
  func condition(_ name: String) -> String? { ownFields.first { $0.name == name }?.value }
}

/// The answer to a request for a feed.
struct FeedAnswer {
  /// What a document of a feed has.
  struct Part {
    var items: [SimulatedItem]
    /// Which document it is, from 1.
    var number = 1
    /// Whether no document follows.
    var isLast = true

    /// Whether the feed has other documents.
    var isOneOfSeveral: Bool { number > 1 || !isLast }
  }

  /// What a refresh was shown.
  struct Showing {
    /// The feed that was shown.
    var podcast: Int
    /// Where it was asked for.
    var url: String
    /// Where the next document of the feed is; nil if there is none.
    var next: String?
    /// What the document had at that moment.
    var part: Part
    var items: [SimulatedItem] { part.items }
    /// Whether the whole of it came, or the server said truly that nothing had changed.
    var isWhole: Bool
    /// Whether the body came, and not only word that it has not changed.
    var hasBody: Bool
    /// The tag of the answer.
    var tag: String?
  }

  /// The failure before a head comes.
  var failure: ExchangeFailure?
  var head: ResponseHead
  var body: [UInt8] = []
  /// Whether the connection breaks behind the body.
  var isCut = false
  /// Where the answer says that the feed is; nil if it says nothing.
  var ledTo: WebAddress?
  var showing: Showing?
}
