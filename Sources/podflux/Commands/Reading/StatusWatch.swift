import ArgumentParser
import Terminal

/// `podflux status --watch`: a table that is drawn anew.
struct StatusWatch {
  /// The time between two looks, in milliseconds.
  private static let intervalMilliseconds = 1000

  let source: EngineOrLibrary
  let endsWhenIdle: Bool
  let console: Console

  /// Runs until nothing moves any more, if that is its end, or until a report cannot be printed.
  func run() throws {
    let signals = try CommandSignals()
    var table = TransferTable()
    var region = LiveRegion(usesColor: console.mode.usesColor)
    while true {
      let report = try source.report()
      let isOver = endsWhenIdle && report.counts.moving == 0
      switch console.mode.progress {
      // A result, and no progress: how stderr is written to does not concern it.
      case _ where console.options.json: report.print(on: console)
      case .live:
        let lines = report.frame(by: console.clock, on: console.size, table: &table)
        if isOver {
          LiveScreen.end(region.finish(lines, on: console.size))
        } else {
          LiveScreen.draw(region.draw(lines, on: console.size))
        }
      case .plain: report.print(on: console)
      case .none: break
      }
      if isOver || !console.hasWrittenAll { return }
      if signals.comes(withinMilliseconds: Self.intervalMilliseconds) {
        LiveScreen.end(region.erase())
        throw ExitCode.interrupted
      }
    }
  }
}
