import Foundation
import Terminal

/// The demo's output: sentences and, on a terminal, a table below them that is redrawn in place.
final class Screen {
  /// How often a plain screen prints the progress, in milliseconds.
  private static let plainInterval: Int64 = 2000

  private let device = TerminalDevice.standardOutput
  private let environment = ProcessInfo.processInfo.environment
  private let mode: DisplayMode
  private var table = TransferTable()
  private var region: LiveRegion
  private var lines: [StyledText] = []
  private var report = PlainReport(intervalMilliseconds: plainInterval, startingAt: now)
  /// The downloads that were shown as finished, by id.
  private var finished: Set<String> = []

  init(_ progress: ProgressChoice) {
    mode = DisplayMode(
      progress: progress, color: .auto, isTerminal: device.isTerminal, environment: environment)
    region = LiveRegion(usesColor: mode.usesColor)
  }

  /// Prints a sentence above the table.
  func say(_ sentence: String = "") {
    say(StyledText(sentence))
  }

  /// Prints a chapter's heading.
  func announce(_ sentence: String) {
    say(StyledText(sentence, .strong))
  }

  /// Prints a line above the table.
  func say(_ line: StyledText) {
    if lines.isEmpty {
      device.write(Array((line.rendered(usesColor: mode.usesColor) + "\n").utf8))
    } else {
      device.write(region.draw(lines, above: [line], on: size))
    }
  }

  /// Shows the downloads' progress.
  func show(_ items: [Item]) {
    let rows = items.filter { !finished.contains($0.id) }.map { TransferRow($0) }
    finished.formUnion(items.filter(\.isFinished).map(\.id))
    let summary = TransferSummary(items)
    guard mode.progress == .live else {
      let told =
        rows.compactMap { PlainReport.line(for: $0) } + [report.summaryLine(summary, at: Self.now)].compactMap(\.self)
      for line in told { device.write(line: "  " + line) }
      return
    }
    let frame = table.frame(rows, summary: summary, on: size)
    lines = frame.lines
    device.write(region.draw(lines, above: frame.finished, on: size))
  }

  /// Leaves the table in place; later output goes below it.
  func finish() {
    device.write(region.finish(lines, on: size))
    lines = []
  }

  private var size: TerminalSize { TerminalSize(of: device, environment: environment) }

  /// The time since the machine was started, in milliseconds.
  private static var now: Int64 { Int64(ProcessInfo.processInfo.systemUptime * 1000) }
}
