/// What counting and choosing look at in a download, apart from its texts and exact numbers: few values each, so that a
/// million downloads have no more than some thousand combinations of them.
public struct Traits: Hashable, Sendable {
  /// The state in its row.
  public var kind: DownloadState.Kind
  /// Whether the scheduler passes it over.
  public var isHeld: Bool
  /// What it waits for, if its row says so.
  public var reason: WaitingReason?
  /// What failed it, or its last attempt.
  public var error: DownloadError.Code?
  /// What it is to hear or to see.
  public var media: MediaKind
  /// How long it is.
  public var size: SizeClass
  /// How old it is.
  public var age: AgeClass
  /// Who asked for it.
  public var origin: Origin
  /// Which networks it may use: what it says itself, or else what is said of its podcast.
  public var network: NetworkPolicy

  /// Makes a combination.
  public init(
    kind: DownloadState.Kind, isHeld: Bool, reason: WaitingReason?, error: DownloadError.Code?, media: MediaKind,
    size: SizeClass, age: AgeClass, origin: Origin, network: NetworkPolicy
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
  }
}

/// What a waiting download waits for (PROTOCOL.md section 2).
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
  /// The download needs credentials; no engine reports it yet.
  case auth
}

/// What a download is to hear or to see, by its file's name, or its address as long as it has no file.
public enum MediaKind: String, Hashable, Sendable, CaseIterable {
  case audio, video, other
}

/// Which networks a download may use.
public enum NetworkPolicy: String, Hashable, Sendable, Codable, CaseIterable {
  /// What its podcast or class may.
  case inherit
  /// None that is cellular or metered.
  case unmetered
  /// All.
  case any
}

/// How long a file is, roughly.
public enum SizeClass: String, Hashable, Sendable, CaseIterable {
  /// Nobody has said.
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

/// How old an episode is, in whole days of local clocks: by when it was published, or else when it was added.
public enum AgeClass: String, Hashable, Sendable, CaseIterable {
  /// Of today, or later.
  case day
  /// Of the six days before.
  case week
  /// Of the days before these, thirty in all.
  case month
  /// Of the days before these, 365 in all.
  case year
  /// From before.
  case older

  /// How many days back a class reaches, today included; nil for the last.
  public var days: Int64? {
    switch self {
    case .day: 1
    case .week: 7
    case .month: 30
    case .year: 365
    case .older: nil
    }
  }

  /// The class of what is so many days old; 0 is today.
  public init(days: Int64) {
    switch days {
    case ..<1: self = .day
    case ..<7: self = .week
    case ..<30: self = .month
    case ..<365: self = .year
    default: self = .older
    }
  }
}
