import ArgumentParser
import Flux
import PodfluxCore
import PodfluxPeople

/// The library's path alone, for commands whose `--state` is that of downloads.
struct LibraryPathOption: LibraryNaming {
  @Option(
    help: "The library's folder; otherwise PODFLUX_LIBRARY, the configuration's library, or ~/Podcasts.",
    completion: .directory)
  var library: String?

  func place(in configuration: ProcessConfiguration, or engine: SocketOption?) throws -> LibraryPlace {
    try LibraryPlace(library: library, state: nil, configuration: configuration, or: engine)
  }
}

/// A day, or a moment of RFC 3339, from which on something counts.
struct SinceDay: ExpressibleByArgument {
  let moment: Timestamp

  /// The last moment before it: a condition means what is later than its own.
  var lastBefore: Timestamp { Timestamp(milliseconds: moment.milliseconds - 1) }

  /// A day begins at midnight in the machine's time zone.
  init?(argument: String) {
    if let moment = InternetDate.parse(argument) {
      self.moment = moment
      return
    }
    guard let midnight = InternetDate.parse(argument + "T00:00:00Z") else { return nil }
    moment = PersonalClock(now: midnight).beginning(ofDay: midnight)
  }
}

extension DownloadState.Kind: ExpressibleByArgument {}
