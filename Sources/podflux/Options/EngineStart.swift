import Logging
import PodfluxPeople

/// How an engine is started, but for its library: from options, the environment and the configuration.
struct EngineStart {
  let caFile: String?
  let journal: String?
  let network: NetworkChoice
  let logLevel: Logger.Level

  init(
    caFile: String? = nil, journal: String? = nil, network: NetworkChoice? = nil, logLevel: Logger.Level? = nil,
    configuration: ProcessConfiguration
  ) throws {
    (self.caFile, self.journal, self.network, self.logLevel) = try configuration.checked {
      configuration throws(ConfigurationFault) in
      (
        try configuration.path(.caFile, option: caFile), try configuration.path(.journal, option: journal),
        try configuration.choice(.network, option: network) ?? .auto,
        try configuration.choice(.logLevel, option: logLevel) ?? .warning
      )
    }
  }
}
