/// The tables that the stores keep what is unbounded in. Valid during a turn, inside its transaction.
///
/// Each domain names its tables beside its store; a store writes those of its domain only.
package protocol Tables: SettingsTables, FilterTables, PodcastTables, RuleTables, DownloadTables, NetworkTables,
  UpkeepTables, CleanupTables, SidecarTables, SessionTables
{}

/// Tables in front of others, some of whose calls they watch: all other calls go to the tables behind.
package protocol ForwardingTables: Tables {
  /// The tables behind these.
  var inner: any Tables { get }
}
