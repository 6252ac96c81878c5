import Flux

/// One download, as its row holds it.
public struct Download: Hashable, Sendable {
  /// Its name.
  public let id: DownloadID
  /// What to fetch.
  public var address: WebAddress
  /// What the client said about it.
  public var description: Description
  /// Its place among others.
  public var rank: Rank
  /// Who asked for it.
  public var origin: Origin
  /// Where it is in its life.
  public var state: DownloadState
  /// What is safe of it on the disk, and how to go on from there.
  public var progress: Progress
  /// Attempts that failed since the last one that made progress; one for each round through all addresses.
  public var failures: Int
  /// Which of its addresses is asked next.
  public var round: Round
  /// When it was added, first started and finished.
  public var dates: Dates
  /// Whether the scheduler passes it over: an earlier attempt or deletion under its name has not ended yet.
  public var isHeld: Bool
  /// Which networks it may use.
  public var networks: Networks

  /// Which networks a download may use.
  public struct Networks: Hashable, Sendable {
    /// What the client said of it.
    public var own: NetworkPolicy
    /// What is said of its podcast.
    public var podcast: NetworkPolicy

    /// Nothing is said, unless something is given.
    public init(own: NetworkPolicy = .inherit, podcast: NetworkPolicy = .inherit) {
      self.own = own
      self.podcast = podcast
    }

    /// What counts: its own, or else its podcast's; `inherit` if its origin decides.
    public var effective: NetworkPolicy { own == .inherit ? podcast : own }
  }

  /// What the client said about a download.
  public struct Description: Hashable, Sendable {
    /// The podcast's name.
    public var podcast: String?
    /// The episode's title.
    public var title: String?
    /// When the episode was published.
    public var published: PublicationDate?
    /// Where the client wants the file.
    public var path: LibraryPath?
    /// Headers to send to the address's own origin, and to no mirror's. They may hold secrets: never shown, never logged.
    public var headers: [Header]
    /// Other addresses of the same file, to be tried in order.
    public var mirrors: [WebAddress]
    /// What the complete file must hash to.
    public var integrity: Integrity?
    /// The length that the client expects in bytes: shown until the server says better, never enforced
    /// (feeds' lengths are often wrong).
    public var expectedLength: Int64?

    /// Makes a description.
    public init(
      podcast: String? = nil, title: String? = nil, published: PublicationDate? = nil, path: LibraryPath? = nil,
      headers: [Header] = [], mirrors: [WebAddress] = [], integrity: Integrity? = nil, expectedLength: Int64? = nil
    ) {
      self.podcast = podcast
      self.title = title
      self.published = published
      self.path = path
      self.headers = headers
      self.mirrors = mirrors
      self.integrity = integrity
      self.expectedLength = expectedLength
    }
  }

  /// Where a download stands in the queue: by priority, then by position.
  public struct Rank: Hashable, Sendable {
    /// More urgent ones go first.
    public var priority: Priority
    /// Smaller ones go first. Only the order means something, not the distance.
    public var position: Int64

    /// Makes a rank.
    public init(priority: Priority, position: Int64) {
      self.priority = priority
      self.position = position
    }
  }

  /// What has been kept of the file so far.
  public struct Progress: Hashable, Sendable {
    /// Bytes in the partial file that survive even a power cut.
    public var durable: Int64
    /// The file's length in bytes, where known.
    public var total: Int64?
    /// Bytes that were fetched and thrown away, and why.
    public var discarded: Discarded
    /// How to go on; nil if nothing is kept.
    public var resume: ResumeRecord?

    /// Makes a progress; of nothing, by default.
    public init(durable: Int64 = 0, total: Int64? = nil, discarded: Discarded = .init(), resume: ResumeRecord? = nil) {
      self.durable = durable
      self.total = total
      self.discarded = discarded
      self.resume = resume
    }
  }

  /// Bytes that were fetched and thrown away, by cause.
  public struct Discarded: Hashable, Sendable {
    /// How many bytes were thrown away for a cause.
    public struct Amount: Hashable, Sendable {
      /// Why.
      public var cause: RestartCause
      /// How many; never 0.
      public var bytes: Int64
    }

    /// One for each cause that there was, in the order of their names.
    public private(set) var amounts: [Amount] = []

    /// Nothing was thrown away.
    public init() {}

    /// What is beyond is not counted: 4 EiB.
    public static let maximum: Int64 = 1 << 62

    /// All of them.
    public var total: Int64 { amounts.reduce(0) { min($0.addingClamped($1.bytes), Self.maximum) } }

    /// How many for a cause.
    public subscript(cause: RestartCause) -> Int64 {
      amounts.first { $0.cause == cause }?.bytes ?? 0
    }

    /// Counts bytes.
    public mutating func add(_ bytes: Int64, because cause: RestartCause) {
      guard bytes > 0 else { return }
      let sum = min(self[cause].addingClamped(bytes), Self.maximum)
      amounts.removeAll { $0.cause == cause }
      let place = amounts.firstIndex { $0.cause.rawValue > cause.rawValue } ?? amounts.endIndex
      amounts.insert(Amount(cause: cause, bytes: sum), at: place)
    }
  }

  /// Where a download stands among its addresses. Each is tried once, in order; then a failure is counted, and the next
  /// round begins with the first.
  public struct Round: Hashable, Sendable {
    /// 0 for the download's own address, then its mirrors.
    public var source: Int
    /// Whether an address before this one failed in a way that may pass.
    public var mayPass: Bool

    /// Stands at a place; at the beginning, by default.
    public init(source: Int = 0, mayPass: Bool = false) {
      self.source = source
      self.mayPass = mayPass
    }
  }

  /// The address to ask next.
  public var source: WebAddress {
    description.mirrors.indices.contains(round.source - 1) ? description.mirrors[round.source - 1] : address
  }

  /// The moments of a download's life.
  public struct Dates: Hashable, Sendable {
    /// When it was enqueued.
    public var added: Timestamp
    /// When its first attempt began.
    public var started: Timestamp?
    /// When it was completed.
    public var finished: Timestamp?
    /// When somebody has changed its file since; nil if nobody has.
    public var modified: Timestamp?

    /// Makes the dates of a download.
    public init(
      added: Timestamp, started: Timestamp? = nil, finished: Timestamp? = nil, modified: Timestamp? = nil
    ) {
      self.added = added
      self.started = started
      self.finished = finished
      self.modified = modified
    }
  }

  /// Makes a download.
  public init(
    id: DownloadID, address: WebAddress, description: Description, rank: Rank, origin: Origin, state: DownloadState,
    progress: Progress, failures: Int, round: Round = .init(), dates: Dates, isHeld: Bool, networks: Networks = .init()
  ) {
    self.id = id
    self.address = address
    self.description = description
    self.rank = rank
    self.origin = origin
    self.state = state
    self.progress = progress
    self.failures = failures
    self.round = round
    self.dates = dates
    self.isHeld = isHeld
    self.networks = networks
  }
}

/// How urgent a download is.
public enum Priority: String, Hashable, Sendable, CaseIterable {
  case high, normal, low
}

/// Who asked for a download.
public enum Origin: String, Hashable, Sendable, CaseIterable {
  /// A person.
  case user
  /// A rule.
  case auto
}

/// A request header that a client wants sent.
public struct Header: Hashable, Sendable, Codable {
  /// The field name, a token of RFC 9110 section 5.6.2.
  public var name: String
  /// The field value.
  public var value: String

  /// Makes a header.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
