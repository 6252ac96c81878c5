import Testing

@testable import PodfluxCore

/// What a store may call of a table is decided by the type in which `StoreTables` has it, and the compiler refuses the
/// rest. This holds these types fast.
@Suite("A store writes the tables of its own domain only")
struct TableOwnershipTests {
  /// The types of the tables that any store has, in a function of which the compiler does not know for which store it
  /// is called.
  private func neighbours<Owner>(of _: Owner.Type) -> [Any.Type] {
    let tables: [PartialKeyPath<StoreTables<Owner>>] = [
      \.downloads, \.deletions, \.feeds, \.episodes, \.rules, \.sidecars, \.upkeep,
    ]
    return tables.map { type(of: $0).valueType }
  }

  @Test("A store has its neighbours' tables as readers")
  func neighbours() {
    let readers: [Any.Type] = [
      (any DownloadTableReader).self, (any DeletionTableReader).self, (any FeedTableReader).self,
      (any EpisodeTableReader).self, (any RuleTableReader).self, (any SidecarTableReader).self,
      (any UpkeepTableReader).self,
    ]
    #expect(zip(neighbours(of: LifecycleStore.self), readers).allSatisfy(==) && readers.count == 7)
  }

  @Test("A store has its own table to write, beside its neighbours' as readers")
  func owner() {
    #expect(type(of: \StoreTables<DownloadsStore>.downloads).valueType == (any DownloadTable).self)
    #expect(type(of: \StoreTables<DownloadsStore>.episodes).valueType == (any EpisodeTableReader).self)
    #expect(type(of: \StoreTables<PodcastsStore>.downloads).valueType == (any DownloadTableReader).self)
    #expect(type(of: \StoreTables<PodcastsStore>.episodes).valueType == (any EpisodeTable).self)
  }
}
