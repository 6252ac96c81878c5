import ArgumentParser
import Flux
import Foundation
import PodfluxCore
import PodfluxPeople

/// The library's path alone, for commands whose `--state` is that of downloads.
struct LibraryPathOption: LibraryNaming {
  @Option(
    help: "The library's folder; otherwise PODFLUX_LIBRARY, the configuration's library, or ~/Podcasts.",
    completion: .directory)
  var library: String?

  func place(in configuration: ProcessConfiguration) throws -> LibraryPlace {
    try LibraryPlace(library: library, state: nil, configuration: configuration)
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
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    let parts = argument.split(separator: "-").compactMap { Int($0) }
    // The parser knows how long months are.
    guard InternetDate.parse(argument + "T12:00:00Z") != nil, parts.count == 3,
      let day = calendar.date(from: DateComponents(year: parts[0], month: parts[1], day: parts[2]))
    else { return nil }
    moment = Timestamp(milliseconds: Int64(day.timeIntervalSince1970 * 1000))
  }
}

extension DownloadState.Kind: ExpressibleByArgument {}
