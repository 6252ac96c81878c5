import Flux

/// What clients want of downloads (see the article Protocol).
///
/// ```swift
/// _ = try await podflux.dispatch(.downloads(.pause(.one(id))))
/// _ = try await podflux.dispatch(.downloads(.remove(.matching(.states([.failed])), deletingFile: false)))
/// ```
public enum DownloadIntent: Hashable, Sendable {
  case enqueue(Enqueue)
  case pause(Selection)
  case resume(Selection)
  case cancel(Selection)
  case retry(Selection)
  case remove(Selection, deletingFile: Bool)
  case verify(Selection)
  case move(DownloadID, Place)
  case update(DownloadID, Update)

  /// The wish for a download. It creates none where a download with its id or, without an id, for its file exists.
  ///
  /// ```swift
  /// let wish = DownloadIntent.Enqueue(id: DownloadID("night-1"), address: address, priority: .high)
  /// guard case .enqueued(let id, let created) = try await podflux.dispatch(.downloads(.enqueue(wish))) else { return }
  /// print(id, created ? "is new" : "was there already")
  /// ```
  public struct Enqueue: Hashable, Sendable {
    /// The client's id for it; without one the engine makes one.
    public var id: DownloadID?
    /// The URL.
    public var address: WebAddress
    public var description: Download.Description
    public var priority: Priority
    /// Who requested it.
    public var origin: Origin
    /// Whether it starts paused.
    public var isPaused: Bool
    /// How to resume from an existing partial file.
    public var resume: ResumeRecord?
    public var network: NetworkPolicy
    /// The session that its requests belong to; nil leaves it to the feed of the episode, if there is one.
    public var session: SessionChoice?
    /// The session of the episode's feed.
    var feedSession: Session.Key?
    /// Who has named its addresses.
    var namer = AddressNamer.person
    /// The episode that it is for; nil if a client has named the address.
    package internal(set) var episode: Episode.Reference?

    /// How many downloads with an episode's address and date are looked at to find the episode's, and how many with the
    /// address and no date. Some feeds have one address for all of their files: an episode that finds none of its own
    /// among so many gets one.
    package static let lookedAt = 32

    public init(
      id: DownloadID? = nil, address: WebAddress, description: Download.Description = .init(),
      priority: Priority = .normal, origin: Origin = .user, isPaused: Bool = false, resume: ResumeRecord? = nil,
      network: NetworkPolicy = .inherit, session: SessionChoice? = nil
    ) {
      self.id = id
      self.address = address
      self.description = description
      self.priority = priority
      self.origin = origin
      self.isPaused = isPaused
      self.resume = resume
      self.network = network
      self.session = session
    }
  }

  /// Which downloads an intent concerns.
  ///
  /// ```swift
  /// _ = try await podflux.dispatch(.downloads(.resume(.many([id]))))
  /// _ = try await podflux.dispatch(.downloads(.retry(.matching(.podcasts(["Night Trains"])))))
  /// ```
  public enum Selection: Hashable, Sendable {
    /// This one; it must exist, and the transition table must allow the change.
    case one(DownloadID)
    /// These; missing ones, and those that may not change, are skipped.
    case many([DownloadID])
    /// All that meet a condition and may change.
    case matching(Condition)

    /// All that may change.
    public static let all = Self.matching(.everything)
  }

  /// A position in the queue, within a priority.
  ///
  /// ```swift
  /// _ = try await podflux.dispatch(.downloads(.move(id, .top)))
  /// ```
  public enum Place: Hashable, Sendable {
    case top
    case bottom
    case before(DownloadID)
    case after(DownloadID)
  }

  /// A change of a download's properties; nil leaves one unchanged.
  ///
  /// ```swift
  /// var update = DownloadIntent.Update()
  /// update.priority = .low
  /// _ = try await podflux.dispatch(.downloads(.update(id, update)))
  /// ```
  public struct Update: Hashable, Sendable {
    /// The new address: kept bytes stay if the validators still match.
    public var address: WebAddress?
    /// The new priority: the download goes to the end of its queue.
    public var priority: Priority?
    public var mirrors: [WebAddress]?
    public var headers: [Header]?
    public var title: String?
    public var podcast: String?
    public var network: NetworkPolicy?
    public var session: SessionChoice?

    public init() {}

    /// Whether a running attempt must restart to apply it.
    package var concernsRequests: Bool { address != nil || mirrors != nil || headers != nil || session != nil }
  }
}
