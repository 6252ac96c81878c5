import ArgumentParser
import Foundation
import Logging
import PodfluxCore
import PodfluxEngine
import PodfluxPeople
import PrometheusMetrics
import Tagging

/// What a command does where there is no library.
enum MissingLibrary {
  /// The command creates the library.
  case made
  /// The command ends with 65, since it needs an existing library: the path may be mistyped.
  case refused
  /// The command reads with an engine that has a temporary library.
  case replaced
}

/// How an engine of this process is started: from options, the environment and the configuration.
struct EngineStart {
  var place: LibraryPlace
  var journalBytes = JournalConfiguration.defaultBytes
  var links = LinkOverrides()
  var logFormat = LogFormat.text
  /// Where metrics are shown; nil for nowhere.
  var metrics: MetricsTarget?
  /// The program that is run for each completed download; nil for none.
  var hook: HookCommand?
  /// Whether rows and files are compared when the engine begins.
  var cleansOnStart = true
  /// Whether downloads are started.
  var startsDownloads = true
  var deletesOwed = true
  /// For how long nothing begins that asks servers.
  var requestDelays = RequestDelays()
  /// What the command does where there is no library.
  var missingLibrary = MissingLibrary.made
  private let caFile: String?
  private let secrets: SecretsConfiguration
  private var journal: String?
  private let network: NetworkChoice
  private let logLevel: Logger.Level

  init(
    caFile: String? = nil, journal: String? = nil, network: NetworkChoice? = nil, logLevel: Logger.Level? = nil,
    secrets: SecretOptions? = nil, place: LibraryPlace, configuration: ProcessConfiguration
  ) throws {
    self.place = place
    (self.caFile, self.journal, self.network, self.logLevel) = try configuration.checked {
      configuration throws(ConfigurationFault) in
      (
        try configuration.path(.caFile, option: caFile),
        try configuration.path(.journal, option: journal, of: place.library),
        try configuration.choice(.network, option: network) ?? .auto,
        try configuration.choice(.logLevel, option: logLevel) ?? .warning
      )
    }
    self.secrets = try configuration.checked { configuration throws(ConfigurationFault) in
      SecretsConfiguration(
        keyFile: try configuration.path(.credentialsKey, option: secrets?.credentialsKey),
        isInMemory: try configuration.choice(.secrets, option: secrets?.secrets) == .memory,
        netrcFile: try configuration.path(.netrc, option: secrets?.netrc))
    }.withCredential(in: ProcessInfo.processInfo.environment)
  }

  /// Starts with a library that goes with the engine, and leaves no trace in a journal.
  mutating func useTemporaryLibrary(at folder: String) {
    (place, journal) = (LibraryPlace(folder), nil)
  }

  /// Logs to stderr.
  var logger: Logger {
    var logger = Logger(label: "podflux") { [logFormat] label in
      switch logFormat {
      case .text: StreamLogHandler.standardError(label: label)
      case .json: JSONLogHandler(label: label)
      }
    }
    logger.logLevel = logLevel
    return logger
  }

  /// What shows the metrics; nil if that is not wanted. It listens, or has written its file, when this returns.
  ///
  /// - Throws: `ExitCode` if that is not possible; stderr says why.
  func makeMetricsPublisher(logger: Logger) throws -> MetricsPublisher? {
    do throws(MetricsPublisher.Failure) {
      return try metrics.map { target throws(MetricsPublisher.Failure) in try MetricsPublisher(target, logger: logger) }
    } catch {
      StandardError.print("podflux: \(error)")
      throw ExitCode.failure
    }
  }

  /// - Parameters:
  ///   - metrics: Where the engine measures into; nil for nowhere.
  ///   - hook: What hears of completed downloads; nil for nothing.
  func configuration(logger: Logger, metrics: PrometheusRegistry?, hook: CompletionHook?) -> EngineConfiguration {
    var configuration = EngineConfiguration(
      libraryPath: place.library, statePath: place.state, certificateAuthorityFile: caFile,
      journal: journal.map { JournalConfiguration(path: $0, maximumBytes: journalBytes) },
      reportedPath: network.path, links: links, metrics: metrics, logger: logger)
    configuration.cleansOnStart = cleansOnStart
    configuration.startsDownloads = startsDownloads
    configuration.deletesOwed = deletesOwed
    configuration.requestDelays = requestDelays
    configuration.onCompletion = hook?.receive
    configuration.tagger = .itself
    configuration.secrets = secrets
    return configuration
  }
}
