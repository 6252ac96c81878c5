/// The properties of a download by which it is counted and selected, apart from texts and exact numbers. Each has few
/// values, so that a million downloads have at most some thousand combinations.
package struct Traits: Hashable, Sendable {
  /// The state in its row.
  package var kind: DownloadState.Kind
  /// Whether the scheduler skips it.
  package var isHeld: Bool
  /// The reason for which it waits, according to its row.
  package var reason: WaitingReason?
  /// The error of the download, or of its last attempt.
  package var error: DownloadError.Code?
  package var media: MediaKind
  package var size: SizeClass
  package var age: AgeClass
  package var origin: Origin
  /// Its own network policy, or else its podcast's.
  package var network: NetworkPolicy
  /// The session that its requests belong to.
  package var session: Session.Key?

  package init(
    kind: DownloadState.Kind, isHeld: Bool, reason: WaitingReason?, error: DownloadError.Code?, media: MediaKind,
    size: SizeClass, age: AgeClass, origin: Origin, network: NetworkPolicy, session: Session.Key? = nil
  ) {
    self.kind = kind
    self.isHeld = isHeld
    self.reason = reason
    self.error = error
    self.media = media
    self.size = size
    self.age = age
    self.origin = origin
    self.network = network
    self.session = session
  }
}

/// A download's state as clients see it, with the reason if it waits.
package struct VisibleState: Hashable, Sendable {
  package var kind: DownloadState.Kind
  package var reason: WaitingReason?

  package init(kind: DownloadState.Kind, reason: WaitingReason? = nil) {
    self.kind = kind
    self.reason = reason
  }

  /// Takes it from traits in which obstacles count.
  package init(_ traits: Traits) {
    self.init(kind: traits.kind, reason: traits.reason)
  }

  /// Each state, and each reason to wait.
  package static let all =
    DownloadState.Kind.allCases.filter { $0 != .waiting }.map { VisibleState(kind: $0) }
    + WaitingReason.allCases.map { VisibleState(kind: .waiting, reason: $0) }
}

/// Why a download waits, as clients see it (see the article Protocol).
///
/// Use: `item.obstacle?.reason`, or the reason of a `DownloadState.waiting`. `Condition.reasons([.storage])` selects by
/// it, in a line `{"reason": "storage"}`.
public enum WaitingReason: String, Hashable, Sendable, CaseIterable {
  /// The machine has no path to the network.
  case network
  /// The path is cellular or metered, and the download may not use such a path.
  case policy
  /// The last attempt failed; the next one starts at `retryAt`.
  case retry
  /// The host asked to be left alone until a moment.
  case host
  /// The disk, or the quota, has too little room.
  case storage
  /// No window of the schedule is open.
  case schedule
  /// The month's cellular budget is used up.
  case budget
  /// The session that its requests belong to is not open.
  case auth
}

/// The kind of media, by the file's name, or by the address before there is a file.
///
/// Use: `download.media`. `Condition.media([.video])` selects by it, in a line `{"media": "video"}`.
public enum MediaKind: String, Hashable, Sendable, Codable, CaseIterable {
  case audio, video, other
}

/// Which network paths a download may use.
///
/// Use: `download.networks.effective`. `DownloadIntent.Enqueue.network` and `PodcastIntent.Update.network` set it.
public enum NetworkPolicy: String, Hashable, Sendable, Codable, CaseIterable {
  /// The policy of its podcast or class.
  case inherit
  /// Only paths that are neither cellular nor metered.
  case unmetered
  /// All paths.
  case any
}

/// A class of file lengths, by which filters group.
///
/// Use: `SizeClass(bytes: download.length)`. `Condition.sizes([.huge])` selects by it in queries; intents select by
/// `Condition.bytes`.
public enum SizeClass: String, Hashable, Sendable, CaseIterable {
  /// The length is unknown.
  case unknown
  /// Less than 25 MiB: some minutes.
  case small
  /// Less than 100 MiB: an episode.
  case medium
  /// Less than 500 MiB: a long one, or a short video.
  case large
  /// More.
  case huge

  private static let mebibyte: Int64 = 1 << 20

  /// The lengths of the class in bytes, the first and the last included; nil for unknown ones.
  public var bytes: ClosedRange<Int64>? {
    switch self {
    case .unknown: nil
    case .small: 0...25 * Self.mebibyte - 1
    case .medium: 25 * Self.mebibyte...100 * Self.mebibyte - 1
    case .large: 100 * Self.mebibyte...500 * Self.mebibyte - 1
    case .huge: 500 * Self.mebibyte...Int64.max
    }
  }

  /// The class of a length in bytes; nil is unknown.
  public init(bytes: Int64?) {
    switch bytes {
    case nil: self = .unknown
    case .some(..<(25 * Self.mebibyte)): self = .small
    case .some(..<(100 * Self.mebibyte)): self = .medium
    case .some(..<(500 * Self.mebibyte)): self = .large
    case .some: self = .huge
    }
  }
}

/// The age of an episode in whole local days, from its publication or else its addition.
///
/// Use: `AgeClass(days: 6)`. `Condition.ages([.week])` selects by it in queries; intents select by
/// `Condition.newerThanDays` and `Condition.olderThanDays`.
public enum AgeClass: String, Hashable, Sendable, CaseIterable {
  /// Today, or in the future.
  case day
  /// The six days before.
  case week
  /// Earlier, within the last thirty days.
  case month
  /// Earlier, within the last 365 days.
  case year
  /// Before that.
  case older

  /// How many days all classes but the last one span.
  package static let daysOfYear = 365

  /// How many days the class and the younger ones span, today included; nil for the last class.
  public var days: Int64? {
    switch self {
    case .day: 1
    case .week: 7
    case .month: 30
    case .year: Int64(Self.daysOfYear)
    case .older: nil
    }
  }

  /// The class of an age in days; 0 is today.
  public init(days: Int64) {
    switch days {
    case ..<1: self = .day
    case ..<7: self = .week
    case ..<30: self = .month
    case ..<Int64(Self.daysOfYear): self = .year
    default: self = .older
    }
  }
}
