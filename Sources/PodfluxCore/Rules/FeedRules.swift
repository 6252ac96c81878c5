import Flux

/// The rules by which the engine downloads and deletes a feed's episodes without being asked (see the article Rules).
///
/// ```swift
/// var update = PodcastIntent.Update()
/// update.rules = FeedRules(autoDownload: .init(newest: 3), keep: .init(newest: 10))
/// _ = try await podflux.dispatch(.podcasts(.update(feed.id, update)))
/// ```
public struct FeedRules: Hashable, Sendable, Codable {
  /// Which episodes are downloaded; nil for none.
  public var autoDownload: AutoDownload?
  /// Which of the episodes that rules have downloaded stay; nil for all.
  public var keep: Keep?

  /// Every part is empty by default.
  public init(autoDownload: AutoDownload? = nil, keep: Keep? = nil) {
    self.autoDownload = autoDownload
    self.keep = keep
  }

  public static let none = FeedRules()

  /// The rule that downloads some of the episodes that are there when it is set, then each new one.
  ///
  /// Use: `FeedRules.AutoDownload(since: .all, order: .oldest)`, a serial show from its beginning.
  public struct AutoDownload: Hashable, Sendable, Codable {
    /// What of the feed counts where `newest` does not say it.
    public var since: Since
    /// How many of the episodes that are there when the rule is set; nil leaves it to `since`.
    public var newest: Int?
    /// From which end these are counted, and which are fetched first.
    public var order: Order
    /// Which episodes it is about.
    public var condition: EpisodeCondition

    /// Each new episode, by default.
    public init(
      since: Since = .subscribe, newest: Int? = nil, order: Order = .newest, condition: EpisodeCondition = .everything
    ) {
      self.since = since
      self.newest = newest
      self.order = order
      self.condition = condition
    }

    /// How many of the episodes that are there when it is set it may download.
    public var allowance: Int64 { newest.map(Int64.init) ?? (since == .all ? Limits.everything : 0) }
  }

  /// The rule that deletes episodes that rules have downloaded. Each limit holds by itself.
  ///
  /// Use: `FeedRules.Keep(days: 30, bytes: 10 << 30)`.
  public struct Keep: Hashable, Sendable, Codable {
    /// How many of the newest stay.
    public var newest: Int?
    /// For how many days after its download an episode stays.
    public var days: Int?
    /// How many bytes the newest may have together; the very newest stays in any case.
    public var bytes: Int64?

    /// No limit, by default.
    public init(newest: Int? = nil, days: Int? = nil, bytes: Int64? = nil) {
      self.newest = newest
      self.days = days
      self.bytes = bytes
    }
  }

  /// Which episodes a rule downloads: new ones only, or those too that existed when the rule was set.
  ///
  /// Use: `feed.wishes.rules.autoDownload?.since`.
  public enum Since: String, Hashable, Sendable, CaseIterable, Codable {
    /// What appears after the rule is set.
    case subscribe
    /// All that is there, too.
    case all
  }

  /// Which of the existing episodes a rule takes first.
  ///
  /// Use: `feed.wishes.rules.autoDownload?.order`.
  public enum Order: String, Hashable, Sendable, CaseIterable, Codable {
    /// The newest come first.
    case newest
    /// The oldest come first: a serial show begins at the beginning.
    case oldest
  }

  /// The limits of what a rule says.
  package enum Limits {
    /// How many of the episodes that are there.
    package static let newest = 0...1_000_000
    /// How many episodes stay: with none, each would be deleted as soon as it is here.
    package static let kept = 1...1_000_000
    /// For how many days, up to a hundred years.
    package static let days = 1...36_500
    /// Bytes of all that stay.
    package static let bytes: ClosedRange<Int64> = 1...Settings.Limits.volume.upperBound
    /// More episodes than a library has.
    package static let everything = EpisodeID.numbers.upperBound
    /// The longest condition, in bytes of JSON: each refresh reads it.
    package static let conditionBytes = 16 << 10
  }
}

extension Feed {
  /// How far the feed's rules have come. It is stored, so that a start goes on where a crash has ended it.
  ///
  /// Use: `feed.standing`.
  public struct Standing: Hashable, Sendable {
    /// The number of the library's last episode when `autoDownload` was set: those of the feed up to it were there,
    /// those behind it are new. nil until the feed was read to its end once.
    public var watermark: Int64?
    /// How many of the episodes that were there may still be downloaded; 0 once it is decided about all of them.
    public var allowance: Int64
    /// When the rules are applied next; nil if nothing is to be done.
    public var due: Timestamp?

    /// Of a feed without rules, by default.
    package init(watermark: Int64? = nil, allowance: Int64 = 0, due: Timestamp? = nil) {
      self.watermark = watermark
      self.allowance = allowance
      self.due = due
    }

    /// Of rules that are set when the library's last episode has this number.
    package init(_ rules: FeedRules, watermark: Int64?, due: Timestamp?) {
      self.init(watermark: watermark, allowance: rules.autoDownload?.allowance ?? 0, due: due)
    }
  }
}
