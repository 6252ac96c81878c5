import ArgumentParser
import Logging
import PodfluxCore
import PodfluxEngine
import PrometheusMetrics

/// Which library an engine opens, and how: the options of `podflux run` and `podflux daemon`.
struct EngineOptions: ParsableArguments {
  @OptionGroup var folder: LibraryOption

  @Option(help: "A PEM file of certificate authorities to trust beside the system's.")
  var caFile: String?

  @Option(help: "A file to write every committed action to, for `podflux replay`. It must not lie in the library.")
  var journal: String?

  @Option(help: "How many bytes of the journal fill a file; four full ones are kept beside it.")
  var journalBytes = JournalConfiguration.defaultBytes

  @Option(help: "The path to the network: detected (auto), or fixed as wifi, cellular or offline.")
  var network = NetworkChoice.auto

  @Option(
    name: .customLong("interface"),
    help: "The kind of a device where the kernel does not say it, such as wlan9=cellular; can be repeated.")
  var interfaces: [DeviceKind] = []

  @Option(help: "A device whose bytes cost money, such as usb0; can be repeated.")
  var metered: [String] = []

  @OptionGroup var observability: ObservabilityOptions

  func validate() throws {
    let sizes = JournalConfiguration.sizes
    guard sizes.contains(journalBytes) else {
      throw ValidationError("--journal-bytes takes \(sizes.lowerBound) to \(sizes.upperBound)")
    }
    if let name = metered.first(where: { !NetworkPath.isDeviceName($0) }) {
      throw ValidationError("--metered takes a device's name such as usb0, and \"\(name)\" cannot be one")
    }
  }

  /// - Parameter metrics: Where the engine measures into; nil for nowhere.
  func configuration(logger: Logger, metrics: PrometheusRegistry?) -> EngineConfiguration {
    EngineConfiguration(
      libraryPath: folder.library, statePath: folder.state, certificateAuthorityFile: caFile,
      journal: journal.map { JournalConfiguration(path: $0, maximumBytes: journalBytes) },
      reportedPath: network.path,
      links: LinkOverrides(
        interfaces: Dictionary(interfaces.map { ($0.device, $0.interface) }) { $1 }, metered: Set(metered)),
      metrics: metrics, logger: logger)
  }
}
