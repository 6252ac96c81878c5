import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("The units", .systemTest)
struct UnitFileTests {
  private static let analyzer = Packaging.program("systemd-analyze")

  /// The highest exposure level of systemd-analyze security that a system unit may have, of 10.
  private static let maximumExposure = 2.0

  @Test(
    "systemd accepts the units of the system, and the socket, without a word",
    .enabled(if: analyzer != nil, "systemd-analyze is not installed"))
  func verified() throws {
    let (status, words) = try verify(Packaging.systemUnits + ["podflux.socket"]) { $0 }
    #expect(words == [])
    #expect(status == 0)
  }

  @Test(
    "systemd accepts the unit of a person's own session without a word",
    .enabled(if: analyzer != nil, "systemd-analyze is not installed"))
  func verifiedUser() throws {
    let (status, words) = try verify(["podflux-user.service"], manager: "--user") { $0 }
    #expect(words == [])
    #expect(status == 0)
  }

  @Test("The check finds a misspelt setting", .enabled(if: analyzer != nil, "systemd-analyze is not installed"))
  func misspelt() throws {
    for (units, manager) in [(Packaging.systemUnits, "--system"), (["podflux-user.service"], "--user")] {
      let (_, words) = try verify(units, manager: manager) {
        $0.replacingOccurrences(of: "WatchdogSec=", with: "WatchdogSeconds=")
      }
      #expect(words.filter { $0.contains("WatchdogSeconds") }.count == units.count)
    }
  }

  @Test(
    "The units of the system are as little exposed as they can be",
    .enabled(if: analyzer != nil, "systemd-analyze is not installed"), arguments: Packaging.systemUnits)
  func exposure(unit: String) throws {
    let path = Packaging.folder.appendingPathComponent("units/\(unit)").path
    let (status, output) = try Packaging.run([Self.analyzer ?? "", "security", "--offline=true", "--no-pager", path])
    #expect(status == 0, "\(output)")
    let level = try #require(output.firstMatch(of: /exposure level for \S+: ([0-9.]+)/)?.1)
    #expect(try #require(Double(level)) <= Self.maximumExposure, "\(output)")
  }

  @Test("Each service has notifications, a watchdog, restarts and no privileges")
  func settings() throws {
    let common = [
      "Type=notify", "WatchdogSec=30", "Restart=on-failure", "RestartPreventExitStatus=64 65 75", "NoNewPrivileges=yes",
      "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
    ]
    for unit in Packaging.systemUnits + ["podflux-user.service"] {
      let lines = Self.lines(of: try Packaging.unit(unit))
      #expect(common.filter { !lines.contains($0) } == [], "\(unit)")
      #expect(lines.contains { $0.hasPrefix("ExecStart=/usr/bin/podflux daemon --library ") })
    }
    let socket = try Packaging.unit("podflux.socket")
    #expect(socket.contains("\nListenStream=/run/podflux/engine.sock\n"))
  }

  @Test("Both services of the system have the same sandbox, and differ in where they may write")
  func sandboxes() throws {
    let (own, shared) = try (Self.lines(of: Packaging.unit("podflux.service")), Self.sharedLines())
    let beginnings = [
      "Protect", "Private", "Restrict", "SystemCall", "Capability", "Ambient", "Memory", "Lock", "Remove",
    ]
    let isOfSandbox = { (line: String) in beginnings.contains { line.hasPrefix($0) } }
    #expect(own.filter(isOfSandbox) == shared.filter(isOfSandbox))
    #expect(own.contains("ProtectSystem=strict") && own.contains("ProtectHome=yes"))
    #expect(own.contains("DynamicUser=yes") && own.contains("UMask=0027"))
    let folder = ["User=podflux", "Group=podflux", "UMask=0002", "ReadWritePaths=/srv/podcasts"]
    #expect(folder.filter { !shared.contains($0) } == [])
    // The user is made under the same name.
    let users = Packaging.folder.appendingPathComponent("debian/podflux.sysusers")
    #expect(try String(contentsOf: users, encoding: .utf8).contains("\nu podflux - "))
  }

  private static func sharedLines() throws -> Set<String> {
    lines(of: try Packaging.unit("podflux-shared.service"))
  }

  private static func lines(of unit: String) -> Set<String> {
    Set(unit.split(separator: "\n").map(String.init))
  }

  /// Runs systemd-analyze on copies with an existing program. Returns its status and its messages.
  private func verify(
    _ names: [String], manager: String = "--system", _ change: (String) -> String
  ) throws -> (status: Int32, words: [String]) {
    let folder = try TemporaryFolder("podflux-units")
    for name in names {
      try change(try Packaging.unit(name).replacingOccurrences(of: "/usr/bin/podflux", with: "/bin/true"))
        .write(toFile: "\(folder.path)/\(name)", atomically: false, encoding: .utf8)
    }
    let (status, output) = try Packaging.run(
      [Self.analyzer ?? "", manager, "verify", "--man=no"] + names.map { "\(folder.path)/\($0)" },
      environment: ["XDG_RUNTIME_DIR": folder.path])
    // Ignores the machine's own units.
    return (status, output.split(separator: "\n").map(String.init).filter { $0.contains("podflux") })
  }
}
