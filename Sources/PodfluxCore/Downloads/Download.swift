import Flux

/// A download, as its row has it.
///
/// ```swift
/// for download in downloads.items.map(\.download) {
///   print(download.id, download.description.title ?? download.address.redacted, download.state.kind.rawValue)
/// }
/// ```
public struct Download: Hashable, Sendable {
  public let id: DownloadID
  /// The URL.
  public var address: WebAddress
  /// The client's description.
  public var description: Description
  /// Its rank in the queue.
  public var rank: Rank
  public var origin: Origin
  public var state: DownloadState
  /// Its durable bytes, and how to resume.
  public var progress: Progress
  /// Failed attempts since the last one with progress; one for each round through all addresses.
  public var failures: Int
  /// Fresh addresses of its episode that were tried since the last attempt with progress, because the one before had
  /// been refused.
  public var freshAddresses: Int
  /// How often attempts threw away what was kept, since its file was last completed or a client last ordered an
  /// attempt.
  public var restarts: Int
  /// The address to try next.
  package var round: Round
  public var dates: Dates
  /// Whether the scheduler skips it: an earlier attempt or deletion with its id has not ended yet.
  public var isHeld: Bool
  public var networks: Networks
  /// What became of the tags of its file. Nil without a file, and where no tags were asked for.
  public var tagging: Tagging?
  /// The session that its requests belong to. It is for the host of the address, unless a client has changed it since.
  public var session: Session.Key?
  /// Who has named its addresses; of a feed, as it was known then.
  package var namer: AddressNamer

  /// The network policies of a download: its own, and its podcast's.
  ///
  /// Use: `download.networks`; its `effective` policy is the one that counts.
  public struct Networks: Hashable, Sendable {
    /// The client's policy for it.
    public var own: NetworkPolicy
    /// Its podcast's policy.
    public var podcast: NetworkPolicy

    package init(own: NetworkPolicy = .inherit, podcast: NetworkPolicy = .inherit) {
      self.own = own
      self.podcast = podcast
    }

    /// The effective policy: its own, or else its podcast's; `inherit` if its origin decides.
    public var effective: NetworkPolicy { own == .inherit ? podcast : own }
  }

  /// What a client says of a download. The engine makes the file's name of it.
  ///
  /// ```swift
  /// let description = Download.Description(podcast: "Night Trains", title: "Vienna to Hamburg")
  /// _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: address, description: description))))
  /// ```
  public struct Description: Hashable, Sendable {
    public var podcast: String?
    public var title: String?
    public var published: PublicationDate?
    /// The path for the file, if the client names one.
    public var path: LibraryPath?
    /// Headers for the address's own origin, not for mirrors. They may contain secrets: never show or log them.
    public var headers: [Header]
    /// Other addresses of the same file, in the order in which to try them.
    public var mirrors: [WebAddress]
    /// The expected hash of the complete file.
    public var integrity: Integrity?
    /// The length that the client or the feed expects in bytes, which is often wrong. It is shown until a server
    /// reports one and never enforced: room is kept for so much where there is so much, and nothing is deleted for it.
    public var expectedLength: Int64?

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

  /// A rank in the queue: by priority, then by position.
  ///
  /// Use: `download.rank`. `DownloadIntent.move` changes it.
  public struct Rank: Hashable, Sendable {
    /// More urgent ones come first.
    public var priority: Priority
    /// Smaller ones come first. Only the order has a meaning, not the distance.
    public var position: Int64

    package init(priority: Priority, position: Int64) {
      self.priority = priority
      self.position = position
    }
  }

  /// How many bytes of the file are kept, and how many there are to be.
  ///
  /// ```swift
  /// if let total = download.progress.total { print(100 * download.progress.durable / max(total, 1), "percent") }
  /// ```
  public struct Progress: Hashable, Sendable {
    /// Bytes in the partial file that survive even a power cut.
    public var durable: Int64
    /// The file's length in bytes, if known.
    public var total: Int64?
    /// Bytes that were received and discarded, by cause.
    public var discarded: Discarded
    /// The record for resuming; nil without kept bytes.
    public var resume: ResumeRecord?

    /// No progress, by default.
    package init(durable: Int64 = 0, total: Int64? = nil, discarded: Discarded = .init(), resume: ResumeRecord? = nil) {
      self.durable = durable
      self.total = total
      self.discarded = discarded
      self.resume = resume
    }
  }

  /// Bytes that were received and discarded, by cause.
  ///
  /// Use: `download.progress.discarded`; `DownloadsSnapshot.discarded` has those of all downloads together.
  public struct Discarded: Hashable, Sendable {
    /// The bytes that were discarded for one cause.
    ///
    /// Use: `download.progress.discarded.amounts.first`.
    public struct Amount: Hashable, Sendable {
      public var cause: RestartCause
      /// Never 0.
      public var bytes: Int64
    }

    /// The amounts of the causes that occurred, in the order of their names.
    public private(set) var amounts: [Amount] = []

    package init() {}

    /// The count is clamped to 4 EiB.
    package static let maximum: Int64 = 1 << 62

    public var total: Int64 { amounts.reduce(0) { min($0.addingClamped($1.bytes), Self.maximum) } }

    public subscript(cause: RestartCause) -> Int64 {
      amounts.first { $0.cause == cause }?.bytes ?? 0
    }

    package mutating func add(_ bytes: Int64, because cause: RestartCause) {
      guard bytes > 0 else { return }
      let sum = min(self[cause].addingClamped(bytes), Self.maximum)
      amounts.removeAll { $0.cause == cause }
      let place = amounts.firstIndex { $0.cause.rawValue > cause.rawValue } ?? amounts.endIndex
      amounts.insert(Amount(cause: cause, bytes: sum), at: place)
    }
  }

  /// A download's position among its addresses. The engine tries each once, in order; then it counts a failure, and the
  /// next round begins with the first.
  package struct Round: Hashable, Sendable {
    /// 0 for the download's own address, then its mirrors.
    package var source: Int
    /// Whether an earlier address in this round failed with a transient error.
    package var mayPass: Bool

    /// The beginning, by default.
    package init(source: Int = 0, mayPass: Bool = false) {
      self.source = source
      self.mayPass = mayPass
    }
  }

  /// Forgets former attempts: the next one is the first.
  mutating func forgetAttempts() {
    (failures, freshAddresses, restarts, round) = (0, 0, 0, .init())
  }

  /// The address to try next.
  public var source: WebAddress {
    description.mirrors.indices.contains(round.source - 1) ? description.mirrors[round.source - 1] : address
  }

  /// The moments of a download's life. All but the first are nil until they come.
  ///
  /// Use: `download.dates`.
  public struct Dates: Hashable, Sendable {
    /// When it was enqueued.
    public var added: Timestamp
    /// When its first attempt began.
    public var started: Timestamp?
    /// When it was completed.
    public var finished: Timestamp?
    /// When the engine noticed that another program had edited its file; nil if none has.
    public var modified: Timestamp?

    package init(
      added: Timestamp, started: Timestamp? = nil, finished: Timestamp? = nil, modified: Timestamp? = nil
    ) {
      self.added = added
      self.started = started
      self.finished = finished
      self.modified = modified
    }
  }

  package init(
    id: DownloadID, address: WebAddress, description: Description, rank: Rank, origin: Origin, state: DownloadState,
    progress: Progress, failures: Int, freshAddresses: Int = 0, restarts: Int = 0, round: Round = .init(),
    dates: Dates, isHeld: Bool, networks: Networks = .init(), tagging: Tagging? = nil, session: Session.Key? = nil,
    namer: AddressNamer = .person
  ) {
    self.id = id
    self.address = address
    self.description = description
    self.rank = rank
    self.origin = origin
    self.state = state
    self.progress = progress
    self.failures = failures
    self.freshAddresses = freshAddresses
    self.restarts = restarts
    self.round = round
    self.dates = dates
    self.isHeld = isHeld
    self.networks = networks
    self.tagging = tagging
    self.session = session
    self.namer = namer
  }
}

extension Download {
  /// Whether the scheduler may start it.
  package var isAdmissible: Bool {
    if case .queued = state { !isHeld } else { false }
  }

  /// Whether a partial file may lie there: attempts write it, and an imported record speaks of one.
  package var mayHavePartial: Bool {
    if case .completed = state { return false }
    return dates.started != nil || progress.resume != nil
  }

  /// Whether a partial file that lies there is of use: it is known which version of the file it holds.
  var needsPartial: Bool { mayHavePartial && progress.resume != nil }
}

/// Which queued downloads start first: those of a higher priority. Within one the position decides.
///
/// Use: `download.rank.priority`.
public enum Priority: String, Hashable, Sendable, CaseIterable {
  case high, normal, low
}

/// Who requested a download: a person, or a rule.
///
/// Use: `download.origin`. `Condition.origins([.auto])` selects by it, in a line `{"origin": "auto"}`.
public enum Origin: String, Hashable, Sendable, CaseIterable {
  /// A person.
  case user
  /// A rule.
  case auto
}

/// A request header that a client names. It goes to the address's own origin, and to no mirror.
///
/// ```swift
/// let description = Download.Description(headers: [Header(name: "Referer", value: "https://example.org/")])
/// _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: address, description: description))))
/// ```
public struct Header: Hashable, Sendable, Codable {
  /// The field name, a token of RFC 9110 section 5.6.2.
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension [Header] {
  /// Whether each name is one: a damaged row may have any.
  package var areNamed: Bool { allSatisfy(\.name.isHTTPToken) }

  /// The client's headers after a change of the address: they belong to one origin, and another origin gets none.
  func moved(from former: WebAddress, to address: WebAddress) -> [Header] {
    address.hasOrigin(of: former) ? self : []
  }
}
