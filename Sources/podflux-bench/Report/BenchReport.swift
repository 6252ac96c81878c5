import Foundation

/// All measurements, as JSON.
struct BenchReport: Encodable {
  let machine: Machine
  let runs: Int
  let scenarios: [ScenarioReport]

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

/// The conditions under which the figures were measured.
struct Machine: Encodable {
  let cores: Int
  /// Debug builds prove nothing about speed.
  let build: String
  let libraryFolder: String
  let fileSystem: String
  let loadBefore: Double
  /// Name and version of each peer.
  let peers: [String: String]

  static func current(libraryFolder: String) -> Machine {
    Machine(
      cores: ProcessInfo.processInfo.activeProcessorCount, build: buildName, libraryFolder: libraryFolder,
      fileSystem: fileSystem(of: libraryFolder), loadBefore: loadAverage,
      peers: Dictionary(uniqueKeysWithValues: Peer.allCases.map { ($0.rawValue, $0.version ?? "not installed") }))
  }

  /// The load average of the last minute.
  static var loadAverage: Double {
    var averages = [0.0]
    return getloadavg(&averages, 1) == 1 ? averages[0] : .nan
  }

  var text: String {
    """
    \(build) build, \(cores) cores, load average \(loadBefore), libraries in \(libraryFolder) (\(fileSystem))
    \(peers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n"))
    """
  }

  private static var buildName: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  /// The type of the folder's file system (proc(5), mounts).
  private static func fileSystem(of folder: String) -> String {
    let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
    let all = mounts.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let above = all.filter { $0.count > 2 && folder.hasPrefix($0[1]) }
    let nearest = above.max { $0[1].count < $1[1].count }
    return nearest?[2] ?? "unknown file system"
  }
}
