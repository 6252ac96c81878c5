import ArgumentParser
import Logging

/// How the engine can be watched: logs and metrics.
struct ObservabilityOptions: ParsableArguments {
  @Option(
    help: "How much to log: trace, debug, info, notice, warning, error or critical; warning unless it is configured.")
  var logLevel: Logger.Level?

  @Option(help: "How logs and notes on stderr are written: as text, or as one JSON object a line.")
  var logFormat = LogFormat.text

  @Option(
    help: ArgumentHelp(
      "Where to show metrics for Prometheus: a file (a path with a slash), or an address such as 127.0.0.1:9464.",
      valueName: "path|address"),
    transform: MetricsTarget.init(argument:))
  var metrics: MetricsTarget?

  /// Sets the format of stderr. To be called before anything is written to it.
  func beginWriting() {
    if logFormat == .json { StandardError.beginJSON() }
  }
}

/// The values of `--log-format`.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
