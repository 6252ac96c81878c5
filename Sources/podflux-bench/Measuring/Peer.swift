import Foundation

/// Another program that downloads files.
enum Peer: String, CaseIterable {
  case curl, wget2, aria2c

  /// Its path; nil if it is not installed.
  var path: String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(rawValue)" }
      .first(where: FileManager.default.isExecutableFile(atPath:))
  }

  /// The first line of its version output; nil if it is not installed.
  var version: String? {
    guard let path else { return nil }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["--version"]
    process.standardOutput = output
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").first.map { String($0.prefix(60)) }
  }

  /// Fetches one file.
  func fetch(_ url: String, to file: String) throws -> ChildCommand.Usage {
    switch self {
    case .curl: try run(["-s", "-o", file, url])
    case .wget2: try run(["-q", "-O", file, url])
    case .aria2c:
      try run(
        ["-q", "--no-conf", "-x1", "-s1", "--file-allocation=none", "-d", file.folderPart, "-o", file.lastPart, url])
    }
  }

  /// Fetches many files into a folder with `count` at once, over reused connections.
  func fetch(_ urls: [String], into folder: String, atOnce count: Int) throws -> ChildCommand.Usage {
    let list = folder + ".list"
    defer { try? FileManager.default.removeItem(atPath: list) }
    let lines = self == .curl ? urls.map { "url = \"\($0)\"\nremote-name" } : urls
    try lines.joined(separator: "\n").write(toFile: list, atomically: false, encoding: .utf8)
    switch self {
    case .curl: return try run(["-s", "-Z", "--parallel-max", "\(count)", "--output-dir", folder, "-K", list])
    case .wget2: return try run(["-q", "--max-threads=\(count)", "-P", folder, "-i", list])
    case .aria2c:
      return try run(
        ["-q", "--no-conf", "-j\(count)", "-x1", "-s1", "--file-allocation=none", "-d", folder, "-i", list])
    }
  }

  private func run(_ arguments: [String]) throws -> ChildCommand.Usage {
    guard let path else { throw MeasurementFailure("\(rawValue) is not installed") }
    return try ChildCommand.run([path] + arguments)
  }
}

extension String {
  fileprivate var folderPart: String { (self as NSString).deletingLastPathComponent }
  fileprivate var lastPart: String { (self as NSString).lastPathComponent }
}
