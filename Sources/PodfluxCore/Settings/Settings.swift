/// What clients can set (the article SettingsAndLimits). Every value is within its range.
///
/// A setting is declared by its property, which gives type, default and meaning, and by its row in `all`, which gives
/// name and values. Storage, patches, checks, lines, the protocol's schema and the documentation follow from the two.
///
/// ```swift
/// for await settings in podflux.settings() { print(settings.maxConcurrent, settings.bytesPerSecond) }
/// ```
public struct Settings: Hashable, Sendable {
  /// The number of transfers that run at once.
  public var maxConcurrent = 4
  /// The number of transfers that run at once on one host.
  public var maxPerHost = 2
  /// The number of attempts without progress after which a download fails.
  public var maxAttempts = 5
  /// The wait after the first failure, in seconds; it doubles after each further one.
  public var retryFirstSeconds = 5
  /// The longest wait between two attempts, in seconds.
  public var retryMaxSeconds = 3600
  /// The longest time for connecting, in seconds.
  public var connectTimeoutSeconds = 15
  /// The longest time without a byte during a transfer, in seconds.
  public var stallTimeoutSeconds = 30
  /// The longest time from a request to the end of its response's head, in seconds; it begins anew at each redirect.
  public var firstByteTimeoutSeconds = 60
  /// The least average rate of a transfer over `slowWindowSeconds`, in bytes per second; 0 for no limit.
  public var slowBytesPerSecond: Int64 = 0
  /// The time over which the rate is averaged for `slowBytesPerSecond`, in seconds; the engine's own pauses do not
  /// count.
  public var slowWindowSeconds = 60
  /// Whether a redirect may lead from https to http.
  public var allowInsecureRedirects = false
  /// The length of the largest file that the engine accepts, in bytes; 0 for no limit.
  public var maxFileBytes: Int64 = 16 << 30
  /// Whether the engine records the SHA-256 of each published file.
  public var checksum = false
  /// The `User-Agent` of the engine's requests.
  public var userAgent = "Podflux/1"
  /// The time between two readings of a running transfer's progress, in seconds.
  public var progressInterval = 0.25

  /// The highest rate of all transfers together, in bytes per second; 0 for no limit.
  public var bytesPerSecond: Int64 = 0
  /// The networks that downloads may use, by origin and by podcast, where a download says nothing itself.
  public var network = NetworkClasses()
  /// Whether requests may lead to any address, or to public ones only; null for public ones for what feeds of the
  /// Internet name, and any for what a person names.
  public var addresses: AddressRule?
  /// The number of bytes that may arrive over cellular networks in a calendar month; 0 for no limit.
  public var cellularBudgetBytesPerMonth: Int64 = 0
  /// The windows of the week in which downloads run; without a window they always run.
  public var schedule: [ScheduleWindow] = []
  /// The number of bytes that the files of all downloads may have, partial files included; 0 for no limit.
  public var storageQuotaBytes: Int64 = 0
  /// The number of bytes that the engine leaves free on the disk; it leaves at least 16 MiB for the library's records.
  public var reserveFreeBytes: Int64 = 512 << 20

  /// The shortest time between two refreshes of a feed that no client asks for, in minutes.
  public var feedRefreshMinutes = 60
  /// The longest time between two refreshes of a feed, in minutes.
  public var feedRefreshMaxMinutes = 1440

  /// Whether the engine compares rows and files at every start.
  public var cleanupOnStart = true
  /// What a cleanup does with files that no download knows, unless `cleanup/run` says it.
  public var orphans = CleanupOptions.Orphans.report
  /// The number of days after which the engine deletes files in quarantine; 0 for never.
  public var quarantineDays = 0

  /// The template for the names of files, unless a feed has its own; an empty text for names without one.
  public var filenameTemplate = NameTemplate.standard
  /// The time zone of day and time in a file's name: the publisher's, or a place's.
  public var nameTimeZone = NameTimeZone.publisher
  /// Whether a file's time of modification is that of its publication or that of its download.
  public var fileTimes = FileTimes.published
  /// Whether files get only names that SMB, NTFS and exFAT take, and no two that differ in case or normalization only.
  public var portableNames = true
  /// Whether the engine publishes a copy of each file with tags (title, podcast, date, picture, chapters) instead of
  /// the file itself.
  public var tags = false
  /// What is kept beside the files of episodes: their sidecars.
  public var sidecars = SidecarKinds()

  /// The defaults.
  public init() {}

  /// Every setting, in the order in which the decoder checks them.
  package static let all: [Setting] = [
    Setting("maxConcurrent", \.maxConcurrent, in: Limits.maxConcurrent),
    Setting("maxPerHost", \.maxPerHost, in: Limits.maxPerHost),
    Setting("maxAttempts", \.maxAttempts, in: Limits.maxAttempts),
    Setting("retryFirstSeconds", \.retryFirstSeconds, in: Limits.seconds),
    Setting("retryMaxSeconds", \.retryMaxSeconds, in: Limits.seconds),
    Setting("connectTimeoutSeconds", \.connectTimeoutSeconds, in: Limits.seconds),
    Setting("stallTimeoutSeconds", \.stallTimeoutSeconds, in: Limits.seconds),
    Setting("firstByteTimeoutSeconds", \.firstByteTimeoutSeconds, in: Limits.seconds),
    Setting("slowBytesPerSecond", \.slowBytesPerSecond, in: 0...(1 << 30)),
    Setting("slowWindowSeconds", \.slowWindowSeconds, in: Limits.seconds),
    Setting("allowInsecureRedirects", \.allowInsecureRedirects),
    Setting("maxFileBytes", \.maxFileBytes, in: Limits.maxFileBytes),
    Setting("checksum", \.checksum),
    Setting("userAgent", \.userAgent, ofBytes: 1...256),
    Setting("progressInterval", \.progressInterval, in: 0.05...60),
    Setting("bytesPerSecond", \.bytesPerSecond, zeroOrIn: 1024...(1 << 40)),
    Setting("network", \.network),
    Setting("addresses", \.addresses),
    Setting("cellularBudgetBytesPerMonth", \.cellularBudgetBytesPerMonth, in: Limits.volume),
    Setting("schedule", \.schedule),
    Setting("storageQuotaBytes", \.storageQuotaBytes, in: Limits.volume),
    Setting("reserveFreeBytes", \.reserveFreeBytes, in: Limits.volume),
    Setting("feedRefreshMinutes", \.feedRefreshMinutes, in: Limits.refreshMinutes),
    Setting("feedRefreshMaxMinutes", \.feedRefreshMaxMinutes, in: Limits.refreshMinutes),
    Setting("cleanupOnStart", \.cleanupOnStart),
    Setting("orphans", \.orphans),
    Setting("quarantineDays", \.quarantineDays, in: 0...36_500),
    Setting("filenameTemplate", \.filenameTemplate),
    Setting("nameTimeZone", \.nameTimeZone),
    Setting("fileTimes", \.fileTimes),
    Setting("portableNames", \.portableNames),
    Setting("tags", \.tags),
    Setting("sidecars", \.sidecars),
  ]

  /// The rules between two settings.
  package static let rules = [
    Rule("retryFirstSeconds", \.retryFirstSeconds, atMost: "retryMaxSeconds", \.retryMaxSeconds),
    Rule("feedRefreshMinutes", \.feedRefreshMinutes, atMost: "feedRefreshMaxMinutes", \.feedRefreshMaxMinutes),
  ]

  /// Ranges that several settings share, or that other parts of the engine rely on.
  package enum Limits {
    /// Transfers at once.
    package static let maxConcurrent = 1...256
    /// Transfers at once on one host.
    package static let maxPerHost = 1...64
    /// Attempts without progress.
    package static let maxAttempts = 1...1000
    /// Seconds of waits and timeouts: up to a day.
    package static let seconds = 1...86_400
    /// Minutes between two refreshes of a feed: up to four weeks.
    package static let refreshMinutes = 5...40_320
    /// Bytes of the largest file: up to 1 PiB.
    package static let maxFileBytes: ClosedRange<Int64> = 0...(1 << 50)
    /// Bytes of budgets, quotas and reserves, and of what a server, a feed or a client says of a length: up to 8 PiB,
    /// 2⁵³, which every reader of JSON keeps (RFC 8259 section 6).
    package static let volume: ClosedRange<Int64> = 0...(1 << 53)
  }

  /// Whether every value is one that its setting takes, and no rule is broken.
  public var isWithinLimits: Bool {
    Self.all.allSatisfy { $0.values.contain($0.value(in: self)) } && Self.rules.allSatisfy { $0.holds(for: self) }
  }
}

extension Settings {
  /// One setting must not exceed another.
  package struct Rule: Sendable {
    /// The name of the setting that must not exceed the other.
    let lesser: String
    /// The name of the setting that must not be exceeded.
    let greater: String
    private let lesserPath: KeyPath<Settings, Int> & Sendable
    private let greaterPath: KeyPath<Settings, Int> & Sendable

    init(
      _ lesser: String, _ lesserPath: KeyPath<Settings, Int> & Sendable, atMost greater: String,
      _ greaterPath: KeyPath<Settings, Int> & Sendable
    ) {
      (self.lesser, self.greater) = (lesser, greater)
      (self.lesserPath, self.greaterPath) = (lesserPath, greaterPath)
    }

    /// Whether the settings keep the rule.
    package func holds(for settings: Settings) -> Bool {
      settings[keyPath: lesserPath] <= settings[keyPath: greaterPath]
    }

    /// The refusal of a patch that leads to settings that break the rule.
    func refusal(of settings: Settings, namesLesser: Bool) -> Refusal {
      Refusal(
        .invalidValue,
        "\(lesser) (\(settings[keyPath: lesserPath])) must not exceed \(greater) (\(settings[keyPath: greaterPath]))",
        path: "payload." + (namesLesser ? lesser : greater))
    }
  }
}
