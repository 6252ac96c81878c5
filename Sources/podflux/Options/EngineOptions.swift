import ArgumentParser
import Logging
import PodfluxCore
import PodfluxEngine
import PodfluxPeople

/// Which library an engine opens, and how: the options of `podflux run` and `podflux daemon`.
struct EngineOptions: ParsableArguments {
  @OptionGroup var folder: LibraryOption

  @Option(help: "A PEM file of certificate authorities to trust beside the system's.")
  var caFile: String?

  @Option(help: "A file to write every committed action to, for `podflux replay`. It must not lie in the library.")
  var journal: String?

  @Option(help: "How many bytes of the journal fill a file; four full ones are kept beside it.")
  var journalBytes = JournalConfiguration.defaultBytes

  @Option(
    help: "The path to the network: detected (auto), or fixed as wifi, cellular or offline; auto unless configured.")
  var network: NetworkChoice?

  @Option(
    name: .customLong("interface"),
    help: "The kind of a device where the kernel does not say it, such as wlan9=cellular; can be repeated.")
  var interfaces: [DeviceKind] = []

  @Option(help: "A device whose bytes cost money, such as usb0; can be repeated.")
  var metered: [String] = []

  @OptionGroup var secrets: SecretOptions

  @OptionGroup var hook: HookOptions

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

  /// What is said of the engine by these options, the environment and the configuration. Prints what is wrong with it,
  /// and ends the command.
  func start() throws -> EngineStart {
    observability.beginWriting()
    let configuration = try ProcessConfiguration.ofProcess()
    var start = try EngineStart(
      caFile: caFile, journal: journal, network: network, logLevel: observability.logLevel, secrets: secrets,
      place: LibraryPlace(library: folder.library, state: folder.state, configuration: configuration),
      configuration: configuration)
    start.journalBytes = journalBytes
    start.hook = try hook.command
    (start.logFormat, start.metrics) = (observability.logFormat, observability.metrics)
    start.links = LinkOverrides(
      interfaces: Dictionary(interfaces.map { ($0.device, $0.interface) }) { $1 }, metered: Set(metered))
    return start
  }
}
