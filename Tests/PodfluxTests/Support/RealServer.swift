import Foundation
import ScriptedOrigin
import TestSupport

/// nginx or Apache from Debian with a custom configuration: on free loopback ports, with all its files in a temporary
/// folder, as a child that deinit ends.
final class RealServer {
  /// Which server.
  enum Kind: String, CaseIterable {
    case nginx, apache

    /// The program, and its Debian package.
    fileprivate var program: (path: String, package: String) {
      switch self {
      case .nginx: ("/usr/sbin/nginx", "nginx-light")
      case .apache: ("/usr/sbin/apache2", "apache2-bin")
      }
    }
  }

  /// A way to serve a folder of files.
  enum Manner: String, CaseIterable {
    /// At full speed, with ranges.
    case quick
    /// At full speed, compressed for clients that accept that.
    case quickgzip
    /// At a limited rate, with ranges.
    case limited
    /// At a limited rate, without ranges.
    case rangeless
    /// At a limited rate, compressed for clients that accept that, otherwise with ranges.
    case gzip
  }

  /// A folder whose files want a name and a password.
  enum Guard: String, CaseIterable {
    /// RFC 7617.
    case basic
    /// RFC 7616; nginx has no module for it.
    case digest

    static let (user, password, realm) = ("me", "s3cret pw", "Night Trains")
  }

  /// A request in the server's log.
  struct LoggedRequest: Hashable {
    var path: String
    var range: String?
    var ifRange: String?
    var status: Int
    var version: String
    var authorization: String?
  }

  /// The rate of the limited manners, in KiB per second.
  static let limitedKibibytesPerSecond = 512

  private let folder: TemporaryFolder
  private let process = Process()
  private let hasEnded = DispatchSemaphore(value: 0)
  private let kind: Kind
  private let elsewhere: String?
  private let (port, securePort): (UInt16, UInt16)

  /// Starts a server, and waits until it accepts connections.
  ///
  /// - Parameter elsewhere: Where requests below `/away/` are redirected to; nil for nowhere.
  init(_ kind: Kind, redirectingTo elsewhere: String? = nil) throws {
    self.kind = kind
    self.elsewhere = elsewhere
    guard FileManager.default.isExecutableFile(atPath: kind.program.path) else {
      throw PodfluxProcess.Failure("\(kind.program.path) is missing: apt-get install \(kind.program.package)")
    }
    folder = try TemporaryFolder("podflux-\(kind.rawValue)")
    // Its workers may run as another user.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    for name in Manner.allCases.map(\.rawValue) + Guard.allCases.map(\.rawValue) {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/files/\(name)", withIntermediateDirectories: true)
    }
    (port, securePort) = (try LoopbackPort.free(), try LoopbackPort.free())
    try start()
  }

  deinit {
    guard process.isRunning else { return }
    process.terminate()
    guard hasEnded.wait(timeout: .now() + 5) == .timedOut else { return }
    kill(process.processIdentifier, SIGKILL)
  }

  private func start() throws {
    let configuration = folder.path + "/configuration"
    let text = RealServerConfiguration(
      folder: folder.path, port: port, securePort: securePort, elsewhere: elsewhere)
    try text.writePasswords()
    try Data((kind == .nginx ? text.nginx : text.apache).utf8).write(to: URL(fileURLWithPath: configuration))
    try Data(text.nginxManners.utf8).write(to: URL(fileURLWithPath: configuration + ".manners"))
    let output = folder.path + "/output"
    try Data().write(to: URL(fileURLWithPath: output))
    process.executableURL = URL(fileURLWithPath: kind.program.path)
    switch kind {
    case .nginx: process.arguments = ["-p", folder.path, "-c", configuration, "-e", folder.path + "/errors"]
    case .apache: process.arguments = ["-D", "FOREGROUND", "-f", configuration]
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = process.standardOutput
    process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
    try Self.withSignals { try process.run() }
    do {
      try waitUntil("\(kind) listens") {
        guard process.isRunning else { throw PodfluxProcess.Failure("\(kind) has ended") }
        return LoopbackPort.answers(port) && LoopbackPort.answers(securePort)
      }
    } catch {
      throw PodfluxProcess.Failure("\(error): \(contents(output)) \(contents(folder.path + "/errors"))")
    }
  }

  /// Apache inherits the signal mask of a Dispatch thread, with SIGTERM, and would never end.
  private static func withSignals(_ body: () throws -> Void) rethrows {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  /// Adds a file, which is a day old: only then are its validators strong.
  func add(_ contents: [UInt8], _ name: String, _ manner: Manner) throws {
    try add(contents, "\(manner.rawValue)/\(name)")
  }

  /// Adds a file that wants a name and a password.
  func add(_ contents: [UInt8], _ name: String, _ guardian: Guard) throws {
    try add(contents, "\(guardian.rawValue)/\(name)")
  }

  private func add(_ contents: [UInt8], _ name: String) throws {
    let path = "\(folder.path)/files/\(name)"
    try Data(contents).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -86_400), .posixPermissions: 0o644], ofItemAtPath: path)
  }

  /// The URL of a file.
  func url(_ name: String, _ manner: Manner, secure: Bool) -> String {
    let base = secure ? "https://127.0.0.1:\(securePort)" : "http://127.0.0.1:\(port)"
    return "\(base)/\(manner.rawValue)/\(name)"
  }

  /// The host and port, as sessions name them.
  func host(secure: Bool) -> String { "127.0.0.1:\(secure ? securePort : port)" }

  /// The URL of a path.
  func url(path: String, secure: Bool) -> String { "\(secure ? "https" : "http")://\(host(secure: secure))\(path)" }

  /// The completed requests, oldest first.
  func requests() -> [LoggedRequest] {
    contents(folder.path + "/requests").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 6, let status = Int(fields[3]) else { return nil }
      return LoggedRequest(
        path: fields[0], range: fields[1] == "-" ? nil : fields[1], ifRange: fields[2] == "-" ? nil : fields[2],
        status: status, version: fields[4], authorization: fields[5] == "-" ? nil : fields[5])
    }
  }

  private func contents(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
