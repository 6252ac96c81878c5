/// What can be set (the article SettingsAndLimits). Every value is within its range.
public struct Settings: Hashable, Sendable, Codable {
  /// How many transfers run at once.
  public var maxConcurrent = 4
  /// How many transfers run at once on one host.
  public var maxPerHost = 2
  /// How many attempts without progress a download gets.
  public var maxAttempts = 5
  /// How long to wait after the first failure, in seconds; doubled after each further one.
  public var retryFirstSeconds = 5
  /// The longest wait between attempts, in seconds.
  public var retryMaxSeconds = 3600
  /// How long connecting may take, in seconds.
  public var connectTimeoutSeconds = 15
  /// How long no byte may come, in seconds.
  public var stallTimeoutSeconds = 30
  /// How long a server may take from the request to the end of its response's head, in seconds; each redirect anew.
  public var firstByteTimeoutSeconds = 60
  /// What a transfer must receive per second, averaged over `slowWindowSeconds`; 0 for no such limit.
  public var slowBytesPerSecond: Int64 = 0
  /// Over how long that average is taken, in seconds; pauses of the engine's own do not count.
  public var slowWindowSeconds = 60
  /// Whether a redirect may lead from https to http.
  public var allowInsecureRedirects = false
  /// The largest file that is accepted, in bytes; 0 for no such limit.
  public var maxFileBytes: Int64 = 16 << 30
  /// Whether the SHA-256 of each published file is recorded.
  public var checksum = false
  /// What the engine calls itself to servers.
  public var userAgent = "Podflux/1"
  /// How often a running transfer tells how far it is, in seconds.
  public var progressInterval = 0.25

  /// How many bytes may arrive in a second, all transfers together; 0 for as many as come.
  public var bytesPerSecond: Int64 = 0
  /// Which networks what has no policy of its own may use.
  public var network = NetworkClasses()
  /// How many bytes may come over cellular in a month; 0 for as many as come.
  public var cellularBudgetBytesPerMonth: Int64 = 0
  /// When downloads run; always, if there is no window.
  public var schedule: [ScheduleWindow] = []
  /// How many bytes the files of all downloads may have, complete and partial ones; 0 for no such limit.
  public var storageQuotaBytes: Int64 = 0
  /// How many bytes are left free on the disk.
  public var reserveFreeBytes: Int64 = 512 << 20

  /// Whether rows and files are compared at every start.
  public var cleanupOnStart = true
  /// What becomes of files that no download knows, where a run is not told.
  public var orphans = CleanupOptions.Orphans.report
  /// After how many days files leave the quarantine for good; 0 for never.
  public var quarantineDays = 0

  /// Whose day stands in a file's name.
  public var nameTimeZone = NameTimeZone.publisher
  /// What a published file's time of modification says.
  public var fileTimes = FileTimes.published
  /// Whether files get only names that SMB, NTFS and exFAT take, and no two that differ in case or normalization only.
  public var portableNames = true

  /// The defaults.
  public init() {}

  /// Reads stored settings; a setting that is newer than they are has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
      value = try container.decodeIfPresent(Value.self, forKey: key) ?? value
    }
    try read(.maxConcurrent, into: &maxConcurrent)
    try read(.maxPerHost, into: &maxPerHost)
    try read(.maxAttempts, into: &maxAttempts)
    try read(.retryFirstSeconds, into: &retryFirstSeconds)
    try read(.retryMaxSeconds, into: &retryMaxSeconds)
    try read(.connectTimeoutSeconds, into: &connectTimeoutSeconds)
    try read(.stallTimeoutSeconds, into: &stallTimeoutSeconds)
    try read(.firstByteTimeoutSeconds, into: &firstByteTimeoutSeconds)
    try read(.slowBytesPerSecond, into: &slowBytesPerSecond)
    try read(.slowWindowSeconds, into: &slowWindowSeconds)
    try read(.allowInsecureRedirects, into: &allowInsecureRedirects)
    try read(.maxFileBytes, into: &maxFileBytes)
    try read(.checksum, into: &checksum)
    try read(.userAgent, into: &userAgent)
    try read(.progressInterval, into: &progressInterval)
    try read(.bytesPerSecond, into: &bytesPerSecond)
    try read(.network, into: &network)
    try read(.cellularBudgetBytesPerMonth, into: &cellularBudgetBytesPerMonth)
    try read(.schedule, into: &schedule)
    try read(.storageQuotaBytes, into: &storageQuotaBytes)
    try read(.reserveFreeBytes, into: &reserveFreeBytes)
    try read(.cleanupOnStart, into: &cleanupOnStart)
    try read(.orphans, into: &orphans)
    try read(.quarantineDays, into: &quarantineDays)
    try read(.nameTimeZone, into: &nameTimeZone)
    try read(.fileTimes, into: &fileTimes)
    try read(.portableNames, into: &portableNames)
  }

  /// The range of each setting.
  public enum Limits {
    /// Transfers at once.
    public static let maxConcurrent = 1...256
    /// Transfers at once on one host.
    public static let maxPerHost = 1...64
    /// Attempts without progress.
    public static let maxAttempts = 1...1000
    /// Seconds of waits and timeouts: up to a day.
    public static let seconds = 1...86_400
    /// The slowest bytes per second that are put up with: up to 1 GiB.
    public static let slowBytesPerSecond: ClosedRange<Int64> = 0...(1 << 30)
    /// Bytes of the largest file: up to 1 PiB.
    public static let maxFileBytes: ClosedRange<Int64> = 0...(1 << 50)
    /// Bytes of the user agent.
    public static let userAgentLength = 1...256
    /// Seconds between readings.
    public static let progressInterval = 0.05...60.0
    /// Bytes per second of all transfers: from 1 KiB, or 0, to 1 TiB.
    public static let bytesPerSecond: ClosedRange<Int64> = 1024...(1 << 40)
    /// Bytes of budgets, quotas and reserves: up to 8 PiB, which every reader of JSON keeps (RFC 8259 section 6).
    public static let volume: ClosedRange<Int64> = 0...(1 << 53)
    /// Days in quarantine: up to a hundred years.
    public static let quarantineDays = 0...36_500
  }

  /// Whether every value is within its range, and the first wait no longer than the longest.
  public var isWithinLimits: Bool {
    let seconds = [
      retryFirstSeconds, retryMaxSeconds, connectTimeoutSeconds, stallTimeoutSeconds, firstByteTimeoutSeconds,
      slowWindowSeconds,
    ]
    return Limits.maxConcurrent.contains(maxConcurrent) && Limits.maxPerHost.contains(maxPerHost)
      && Limits.maxAttempts.contains(maxAttempts) && seconds.allSatisfy(Limits.seconds.contains)
      && Limits.slowBytesPerSecond.contains(slowBytesPerSecond) && Limits.maxFileBytes.contains(maxFileBytes)
      && Limits.userAgentLength.contains(userAgent.utf8.count)
      && Limits.progressInterval.contains(progressInterval) && Limits.quarantineDays.contains(quarantineDays)
      && (bytesPerSecond == 0 || Limits.bytesPerSecond.contains(bytesPerSecond)) && network.isWithinLimits
      && [cellularBudgetBytesPerMonth, storageQuotaBytes, reserveFreeBytes].allSatisfy(Limits.volume.contains)
      && schedule.count <= ScheduleWindow.maximumCount && schedule.allSatisfy(\.isWithinLimits)
      && retryFirstSeconds <= retryMaxSeconds
  }
}

/// A change of settings: what is nil stays as it is.
public struct SettingsPatch: Hashable, Sendable {
  /// See `Settings.maxConcurrent`.
  public var maxConcurrent: Int?
  /// See `Settings.maxPerHost`.
  public var maxPerHost: Int?
  /// See `Settings.maxAttempts`.
  public var maxAttempts: Int?
  /// See `Settings.retryFirstSeconds`.
  public var retryFirstSeconds: Int?
  /// See `Settings.retryMaxSeconds`.
  public var retryMaxSeconds: Int?
  /// See `Settings.connectTimeoutSeconds`.
  public var connectTimeoutSeconds: Int?
  /// See `Settings.stallTimeoutSeconds`.
  public var stallTimeoutSeconds: Int?
  /// See `Settings.firstByteTimeoutSeconds`.
  public var firstByteTimeoutSeconds: Int?
  /// See `Settings.slowBytesPerSecond`.
  public var slowBytesPerSecond: Int64?
  /// See `Settings.slowWindowSeconds`.
  public var slowWindowSeconds: Int?
  /// See `Settings.allowInsecureRedirects`.
  public var allowInsecureRedirects: Bool?
  /// See `Settings.maxFileBytes`.
  public var maxFileBytes: Int64?
  /// See `Settings.checksum`.
  public var checksum: Bool?
  /// See `Settings.userAgent`.
  public var userAgent: String?
  /// See `Settings.progressInterval`.
  public var progressInterval: Double?
  /// See `Settings.bytesPerSecond`.
  public var bytesPerSecond: Int64?
  /// See `Settings.network`.
  public var network: NetworkClasses.Patch?
  /// See `Settings.cellularBudgetBytesPerMonth`.
  public var cellularBudgetBytesPerMonth: Int64?
  /// See `Settings.schedule`.
  public var schedule: [ScheduleWindow]?
  /// See `Settings.storageQuotaBytes`.
  public var storageQuotaBytes: Int64?
  /// See `Settings.reserveFreeBytes`.
  public var reserveFreeBytes: Int64?
  /// See `Settings.cleanupOnStart`.
  public var cleanupOnStart: Bool?
  /// See `Settings.orphans`.
  public var orphans: CleanupOptions.Orphans?
  /// See `Settings.quarantineDays`.
  public var quarantineDays: Int?
  /// See `Settings.nameTimeZone`.
  public var nameTimeZone: NameTimeZone?
  /// See `Settings.fileTimes`.
  public var fileTimes: FileTimes?
  /// See `Settings.portableNames`.
  public var portableNames: Bool?

  /// A patch that changes nothing.
  public init() {}

  /// The settings after the change.
  public func applied(to settings: Settings) -> Settings {
    var result = settings
    result.maxConcurrent = maxConcurrent ?? settings.maxConcurrent
    result.maxPerHost = maxPerHost ?? settings.maxPerHost
    result.maxAttempts = maxAttempts ?? settings.maxAttempts
    result.retryFirstSeconds = retryFirstSeconds ?? settings.retryFirstSeconds
    result.retryMaxSeconds = retryMaxSeconds ?? settings.retryMaxSeconds
    result.connectTimeoutSeconds = connectTimeoutSeconds ?? settings.connectTimeoutSeconds
    result.stallTimeoutSeconds = stallTimeoutSeconds ?? settings.stallTimeoutSeconds
    result.firstByteTimeoutSeconds = firstByteTimeoutSeconds ?? settings.firstByteTimeoutSeconds
    result.slowBytesPerSecond = slowBytesPerSecond ?? settings.slowBytesPerSecond
    result.slowWindowSeconds = slowWindowSeconds ?? settings.slowWindowSeconds
    result.allowInsecureRedirects = allowInsecureRedirects ?? settings.allowInsecureRedirects
    result.maxFileBytes = maxFileBytes ?? settings.maxFileBytes
    result.checksum = checksum ?? settings.checksum
    result.userAgent = userAgent ?? settings.userAgent
    result.progressInterval = progressInterval ?? settings.progressInterval
    result.bytesPerSecond = bytesPerSecond ?? settings.bytesPerSecond
    result.network = network?.applied(to: settings.network) ?? settings.network
    result.cellularBudgetBytesPerMonth = cellularBudgetBytesPerMonth ?? settings.cellularBudgetBytesPerMonth
    result.schedule = schedule ?? settings.schedule
    result.storageQuotaBytes = storageQuotaBytes ?? settings.storageQuotaBytes
    result.reserveFreeBytes = reserveFreeBytes ?? settings.reserveFreeBytes
    result.cleanupOnStart = cleanupOnStart ?? settings.cleanupOnStart
    result.orphans = orphans ?? settings.orphans
    result.quarantineDays = quarantineDays ?? settings.quarantineDays
    result.nameTimeZone = nameTimeZone ?? settings.nameTimeZone
    result.fileTimes = fileTimes ?? settings.fileTimes
    result.portableNames = portableNames ?? settings.portableNames
    return result
  }
}
