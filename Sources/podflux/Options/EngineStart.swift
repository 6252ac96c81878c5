import Logging
import PodfluxCore
import PodfluxEngine
import PodfluxPeople

/// How an engine of this process is started: from options, the environment and the configuration.
struct EngineStart {
  let place: LibraryPlace
  var journalBytes = JournalConfiguration.defaultBytes
  var links = LinkOverrides()
  private let caFile: String?
  private let journal: String?
  private let network: NetworkChoice
  private let logLevel: Logger.Level

  init(
    caFile: String? = nil, journal: String? = nil, network: NetworkChoice? = nil, logLevel: Logger.Level? = nil,
    place: LibraryPlace, configuration: ProcessConfiguration
  ) throws {
    self.place = place
    (self.caFile, self.journal, self.network, self.logLevel) = try configuration.checked {
      configuration throws(ConfigurationFault) in
      (
        try configuration.path(.caFile, option: caFile), try configuration.path(.journal, option: journal),
        try configuration.choice(.network, option: network) ?? .auto,
        try configuration.choice(.logLevel, option: logLevel) ?? .warning
      )
    }
  }

  /// Logs to stderr.
  var logger: Logger {
    var logger = Logger(label: "podflux") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = logLevel
    return logger
  }

  func configuration(logger: Logger) -> EngineConfiguration {
    EngineConfiguration(
      libraryPath: place.library, statePath: place.state, certificateAuthorityFile: caFile,
      journal: journal.map { JournalConfiguration(path: $0, maximumBytes: journalBytes) },
      reportedPath: network.path, links: links, logger: logger)
  }
}
