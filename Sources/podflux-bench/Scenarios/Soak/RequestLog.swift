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

  /// How many requests there were for files that had been asked for before.
  var repeated: Int { requests.values.reduce(0) { $0 + $1 - 1 } }
}
