import Foundation

/// What a server was asked for, by its log (`StaticServer`): status, bytes sent, path.
struct RequestLog {
  /// How many requests each file has had that sent some of it.
  private(set) var requests: [String: Int] = [:]
  /// How many bytes of episodes and sidecars were sent.
  private(set) var bytes: Int64 = 0

  init(_ path: String) throws {
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let sent = Int64(words[1]) else { throw MeasurementFailure("a log with: \(line)") }
      // Feeds are asked for each day.
      guard !words[2].hasSuffix(".xml"), sent > 0 else { continue }
      requests[String(words[2]), default: 0] += 1
      bytes += sent
    }
  }

  /// How many requests there were for episodes and their sidecars that had been asked for before.
  var repeated: Int { repeated { !Self.isCover($0) } }

  /// How many requests there were for covers that had been asked for before: one goes with the last episode of its
  /// feed.
  var repeatedCovers: Int { repeated(where: Self.isCover) }

  private func repeated(where isCounted: (String) -> Bool) -> Int {
    requests.reduce(0) { isCounted($1.key) ? $0 + $1.value - 1 : $0 }
  }

  private static func isCover(_ path: String) -> Bool { path.hasSuffix(".jpg") }
}
