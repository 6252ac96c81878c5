import Flux
import Persistence
import PodfluxCore

/// The real ledger, watched, with commits that fail when told to.
final class SimulatedLedger: Ledger {
  enum Mishap {
    /// The transaction does not begin.
    case beginFails
    /// Everything is written, and the commit fails.
    case commitFails
  }

  struct Failure: Error, CustomStringConvertible {
    let description = "the simulated disk refuses the commit"
  }

  /// What a download is owed.
  struct Debt {
    var download: DownloadID
    /// Whether anything is.
    var isOwed: Bool
    /// Whether its next attempt has to wait for it: something could take its partial file.
    var isPartialOwed: Bool
    /// Whether its next attempt may wait for it: it is on its way.
    var holds: Bool
  }

  private let inner: SQLLedger
  private let isFirstStart: Bool
  private let sabotage: Sabotage?
  /// Asked before each transaction what befalls it.
  var beforeEach: () throws -> Mishap? = { nil }
  private(set) var notes = TransactionNotes()
  /// Who is owed deletions among those whose debts may have changed, as the transaction left it.
  private(set) var debts: [Debt] = []
  /// The position that the last transaction recorded.
  private(set) var lastPosition: LogPosition?
  /// What the body of a failed transaction had returned; for sabotages only.
  private(set) var uncommitted: Any?

  /// The downloads that there are: a change of all of them may make debts.
  private let allDownloads: () -> [DownloadID]

  init(_ inner: SQLLedger, isFirstStart: Bool, sabotage: Sabotage?, allDownloads: @escaping () -> [DownloadID]) {
    self.inner = inner
    self.allDownloads = allDownloads
    self.isFirstStart = isFirstStart
    self.sabotage = sabotage
  }

  func transaction<Result>(_ body: (any Tables) throws -> Result) throws -> Result {
    let hasSearchedInVain = notes.hasSearchedInVain
    notes = TransactionNotes()
    notes.hasSearchedInVain = hasSearchedInVain
    debts = []
    lastPosition = nil
    uncommitted = nil
    let mishap = try beforeEach()
    if mishap == .beginFails { throw Failure() }
    return try inner.transaction { tables in
      let result = try body(
        ObservedTables(inner: tables, notes: notes, sabotage: sabotage, isFirstStart: isFirstStart))
      guard mishap == nil else {
        uncommitted = result
        throw Failure()
      }
      if notes.changesMany { notes.debtors.formUnion(allDownloads() + notes.writtenDownloads) }
      for download in notes.debtors.sorted() {
        let deletions = tables.deletions
        debts.append(
          Debt(
            download: download, isOwed: try deletions.isOwed(download),
            isPartialOwed: try deletions.owedPartial(of: download) != nil, holds: try deletions.holds(download)))
      }
      return result
    }
  }

  func record(_ position: LogPosition) throws {
    lastPosition = position
    try inner.record(position)
  }
}
