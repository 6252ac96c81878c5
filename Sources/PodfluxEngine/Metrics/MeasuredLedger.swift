import Flux
import Persistence
import PodfluxCore

/// A ledger that measures how long the turns of another one take. Turns that commit nothing, such as progress, are not
/// measured.
final class MeasuredLedger: Ledger {
  private let ledger: SQLLedger
  private let meter: EngineMeter
  private var hasRecorded = false

  init(_ ledger: SQLLedger, meter: EngineMeter) {
    self.ledger = ledger
    self.meter = meter
  }

  func transaction<Result>(_ body: (any Tables) throws -> Result) throws -> Result {
    hasRecorded = false
    let begin = ContinuousClock.now
    var handled = begin
    let result = try ledger.transaction { tables in
      let result = try body(tables)
      handled = ContinuousClock.now
      return result
    }
    let end = ContinuousClock.now
    if hasRecorded { meter.countTurn(lasting: end - begin, commit: end - handled) }
    return result
  }

  func record(_ position: LogPosition) throws {
    try ledger.record(position)
    hasRecorded = true
  }
}
