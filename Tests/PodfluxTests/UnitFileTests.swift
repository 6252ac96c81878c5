import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("The example units", .systemTest)
struct UnitFileTests {
  private static let analyzer = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].first { (path: String) in
    access(path, X_OK) == 0
  }

  private static let fixtures: URL = {
    if let path = ProcessInfo.processInfo.environment["PODFLUX_FIXTURES"] { return URL(fileURLWithPath: path) }
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder.appendingPathComponent("Fixtures")
  }()

  @Test(
    "systemd accepts the service and its socket without a word",
    .enabled(if: analyzer != nil, "systemd-analyze is not installed"))
  func verified() throws {
    let (status, words) = try verify { $0 }
    #expect(words == [])
    #expect(status == 0)
  }

  @Test("The check finds a misspelt setting", .enabled(if: analyzer != nil, "systemd-analyze is not installed"))
  func misspelt() throws {
    let (_, words) = try verify { $0.replacingOccurrences(of: "WatchdogSec=", with: "WatchdogSeconds=") }
    #expect(words.contains { $0.contains("WatchdogSeconds") })
  }

  @Test("The service has notifications, a watchdog, restarts and a sandbox")
  func settings() throws {
    let text = try String(contentsOf: Self.fixtures.appendingPathComponent("podflux.service"), encoding: .utf8)
    let lines = Set(text.split(separator: "\n").map(String.init))
    let expected = [
      "Type=notify", "WatchdogSec=30", "Restart=on-failure", "NoNewPrivileges=yes",
      "ExecStart=/usr/bin/podflux daemon --library %S/podflux/library",
      "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "CapabilityBoundingSet=",
      "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
    ]
    #expect(expected.filter { !lines.contains($0) } == [])
    let socket = try String(contentsOf: Self.fixtures.appendingPathComponent("podflux.socket"), encoding: .utf8)
    #expect(socket.contains("\nListenStream=/run/podflux/engine.sock\n"))
  }

  /// Runs systemd-analyze on copies with an existing program. Returns its status and its messages.
  private func verify(_ change: (String) -> String) throws -> (status: Int32, words: [String]) {
    let folder = try TemporaryFolder("podflux-units")
    let names = ["podflux.service", "podflux.socket"]
    for name in names {
      let text = try String(contentsOf: Self.fixtures.appendingPathComponent(name), encoding: .utf8)
      try change(text.replacingOccurrences(of: "/usr/bin/podflux", with: "/bin/true"))
        .write(toFile: "\(folder.path)/\(name)", atomically: false, encoding: .utf8)
    }
    let output = folder.path + "/output"
    try Data().write(to: URL(fileURLWithPath: output))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.analyzer ?? "")
    process.arguments = ["verify", "--man=no"] + names.map { "\(folder.path)/\($0)" }
    process.standardInput = FileHandle.nullDevice
    let writing = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardOutput = writing
    process.standardError = writing
    try process.run()
    process.waitUntilExit()
    // Ignores the machine's own units.
    let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
    return (process.terminationStatus, lines.filter { $0.contains("podflux") })
  }
}
