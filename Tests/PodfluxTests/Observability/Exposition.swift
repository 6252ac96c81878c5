import Foundation
import TestSupport

/// An exposition of metrics, as Prometheus would read it.
struct Exposition {
  /// The values by name and labels as they are written.
  let values: [String: Double]
  /// The types by name.
  let types: [String: String]
  /// The names that have a help.
  let helped: Set<String>

  /// Parses the text format.
  ///
  /// - Throws: `Failure` at a line that is neither a comment nor a name with a number.
  init(_ text: String) throws {
    var (values, types, helped): ([String: Double], [String: String], Set<String>) = ([:], [:], [])
    guard text.isEmpty || text.hasSuffix("\n") else { throw PodfluxProcess.Failure("the last line has no end") }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if words.first == "#", words.count == 4, words[1] == "TYPE" {
        types[words[2]] = words[3]
      } else if words.first == "#", words.count == 4, words[1] == "HELP" {
        helped.insert(words[2])
      } else if let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]),
        values[String(line[..<space])] == nil
      {
        values[String(line[..<space])] = value
      } else {
        throw PodfluxProcess.Failure("no line of an exposition: \(line)")
      }
    }
    (self.values, self.types, self.helped) = (values, types, helped)
  }

  /// The exposition that a server has at a port on loopback.
  static func fetched(from port: Int) throws -> Exposition {
    let result = try Shell.run("curl -sS --fail --max-time 20 http://127.0.0.1:\(port)/metrics")
    guard result.status == 0 else { throw PodfluxProcess.Failure("curl ends with \(result.status): \(result.errors)") }
    return try Exposition(result.output)
  }

  subscript(name: String) -> Double? { values[name] }
}
