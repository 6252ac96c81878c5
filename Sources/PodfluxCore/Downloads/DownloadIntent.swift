import Flux

/// What a client can want of the downloads (the article Protocol).
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

  /// A new download.
  public struct Enqueue: Hashable, Sendable {
    /// The client's name for it; without one the engine makes one.
    public var id: DownloadID?
    /// What to fetch.
    public var address: WebAddress
    /// What the client says about it.
    public var description: Download.Description
    /// How urgent it is.
    public var priority: Priority
    /// Who asked for it.
    public var origin: Origin
    /// Whether it begins paused.
    public var isPaused: Bool
    /// How to go on with a partial file that lies there.
    public var resume: ResumeRecord?
    /// Which networks it may use.
    public var network: NetworkPolicy

    /// Makes a wish for a new download.
    public init(
      id: DownloadID? = nil, address: WebAddress, description: Download.Description = .init(),
      priority: Priority = .normal, origin: Origin = .user, isPaused: Bool = false, resume: ResumeRecord? = nil,
      network: NetworkPolicy = .inherit
    ) {
      self.id = id
      self.address = address
      self.description = description
      self.priority = priority
      self.origin = origin
      self.isPaused = isPaused
      self.resume = resume
      self.network = network
    }
  }

  /// Which downloads are meant.
  public enum Selection: Hashable, Sendable {
    /// This one; it must exist, and the table must allow the change.
    case one(DownloadID)
    /// These; which do not exist or may not change are skipped.
    case many([DownloadID])
    /// Each that meets a condition and may change.
    case matching(Condition)

    /// Each that may change.
    public static let all = Self.matching(.everything)
  }

  /// A place in the queue, within a priority.
  public enum Place: Hashable, Sendable {
    case top
    case bottom
    case before(DownloadID)
    case after(DownloadID)
  }

  /// A change of what a download is; what is nil stays as it is.
  public struct Update: Hashable, Sendable {
    /// Another address: kept bytes stay if the validators still match.
    public var address: WebAddress?
    /// Another urgency: the download goes to that priority's end.
    public var priority: Priority?
    /// Other mirrors.
    public var mirrors: [WebAddress]?
    /// Other headers.
    public var headers: [Header]?
    /// Another title.
    public var title: String?
    /// Another podcast.
    public var podcast: String?
    /// Other networks.
    public var network: NetworkPolicy?

    /// A change of nothing.
    public init() {}

    /// Whether a running attempt must begin again to follow it.
    public var concernsRequests: Bool { address != nil || mirrors != nil || headers != nil }
  }
}
