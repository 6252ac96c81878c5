/// The tables that the stores keep what is unbounded in. Valid during a turn, inside its transaction.
///
/// Each domain names its tables beside its store. No store has this value: it gets `StoreTables`.
package protocol Tables: SettingsTables, FilterTables, PodcastTables, RuleTables, DownloadTables, NetworkTables,
  UpkeepTables, CleanupTables, SidecarTables, SessionTables
{}

/// Tables in front of others, some of whose calls they watch: all other calls go to the tables behind.
package protocol ForwardingTables: Tables {
  /// The tables behind these.
  var inner: any Tables { get }
}

/// The tables as one store has them: its own to write, those of others to read.
///
/// A property of the extension for all stores is a reader. The extension for the owner has the same property as the
/// table itself, which the compiler prefers there: a store that calls what writes another one's table does not compile.
/// What several stores call takes a turn of `some DomainStore`, and can but read.
package struct StoreTables<Owner> {
  private let all: any Tables

  /// Narrows the tables to what a store may do with them.
  init(_ all: any Tables) { self.all = all }
}

/// What every store reads.
extension StoreTables {
  var downloads: any DownloadTableReader { all.downloads }
  var deletions: any DeletionTableReader { all.deletions }
  var feeds: any FeedTableReader { all.feeds }
  var episodes: any EpisodeTableReader { all.episodes }
  var rules: any RuleTableReader { all.rules }
  var sidecars: any SidecarTableReader { all.sidecars }
  var upkeep: any UpkeepTableReader { all.upkeep }
}

extension StoreTables<SettingsStore> {
  func save(_ settings: Settings) throws { try all.save(settings) }
}

extension StoreTables<FiltersStore> {
  var filters: any FilterTable { all.filters }
}

extension StoreTables<SessionsStore> {
  var sessions: any SessionTable { all.sessions }
}

extension StoreTables<PodcastsStore> {
  var feeds: any FeedTable { all.feeds }
  var episodes: any EpisodeTable { all.episodes }
}

extension StoreTables<SidecarsStore> {
  var sidecars: any SidecarTable { all.sidecars }
}

extension StoreTables<DownloadsStore> {
  var downloads: any DownloadTable { all.downloads }
  var deletions: any DeletionTable { all.deletions }
  var verifications: any VerificationTable { all.verifications }
  var formerFiles: any FormerFileTable { all.formerFiles }

  func save(cooldownOf host: String, until moment: Timestamp?) throws {
    try all.save(cooldownOf: host, until: moment)
  }

  func save(discarded bytes: Int64, because cause: RestartCause) throws {
    try all.save(discarded: bytes, because: cause)
  }
}

extension StoreTables<NetworkStore> {
  func save(_ network: NetworkState) throws { try all.save(network) }
}

extension StoreTables<RulesStore> {
  var rules: any RuleTable { all.rules }
}

extension StoreTables<UpkeepStore> {
  var upkeep: any UpkeepTable { all.upkeep }
}

extension StoreTables<CleanupStore> {
  var cleanup: any CleanupTable { all.cleanup }
}
