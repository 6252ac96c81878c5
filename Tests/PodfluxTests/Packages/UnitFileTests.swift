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
      "Type=notify", "WatchdogSec=30", "Restart=on-failure", "RestartPreventExitStatus=64 65", "NoNewPrivileges=yes",
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
    let folder = ["User=podflux", "Group=podflux", "UMask=0002", "ReadWritePaths=-/srv/podcasts"]
    #expect(folder.filter { !shared.contains($0) } == [])
    // The user is made under the same name.
    let users = Packaging.folder.appendingPathComponent("debian/podflux.sysusers")
    #expect(try String(contentsOf: users, encoding: .utf8).contains("\nu podflux - "))
  }

  @Test(
    "The shared service works in another folder alone by the lines of its comment: it also wanted /srv/podcasts",
    .enabled(if: analyzer != nil, "systemd-analyze is not installed"))
  func otherFolder() throws {
    let unit = try Packaging.unit("podflux-shared.service")
    let comment = unit.split(separator: "\n").prefix { $0.hasPrefix("#") }.drop { !$0.hasPrefix("# Another folder") }
    let lines = comment.filter { $0.hasPrefix("#   ") }.map { String($0.dropFirst(4)) }
    #expect(lines.first == "[Unit]" && lines.contains("RequiresMountsFor=/the/folder"))
    // A list goes on in a drop-in until an empty line takes it back.
    for name in ["ReadWritePaths=", "ExecStart="] {
      let settings = lines.filter { $0.hasPrefix(name) }
      #expect(settings.count == 2 && settings.first == name && settings[1].contains("/the/folder"), "\(lines)")
    }
    let dropIn = ["podflux-shared.service.d/override.conf": lines.joined(separator: "\n") + "\n"]
    let (status, words) = try verify(["podflux-shared.service"], beside: dropIn) { $0 }
    #expect(words == [])
    #expect(status == 0)
  }

  private static func sharedLines() throws -> Set<String> {
    lines(of: try Packaging.unit("podflux-shared.service"))
  }

  private static func lines(of unit: String) -> Set<String> {
    Set(unit.split(separator: "\n").map(String.init))
  }

  /// A unit's text with an existing program.
  private static func runnable(_ unit: String) -> String {
    unit.replacingOccurrences(of: "/usr/bin/podflux", with: "/bin/true")
  }

  /// Runs systemd-analyze on copies with an existing program. Returns its status and its messages.
  private func verify(
    _ names: [String], manager: String = "--system", beside dropIns: [String: String] = [:],
    _ change: (String) -> String
  ) throws -> (status: Int32, words: [String]) {
    let folder = try TemporaryFolder("podflux-units")
    for name in names {
      try change(Self.runnable(try Packaging.unit(name)))
        .write(toFile: "\(folder.path)/\(name)", atomically: false, encoding: .utf8)
    }
    for (name, text) in dropIns {
      let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Self.runnable(text).write(to: file, atomically: false, encoding: .utf8)
    }
    let (status, output) = try Packaging.run(
      [Self.analyzer ?? "", manager, "verify", "--man=no"] + names.map { "\(folder.path)/\($0)" },
      environment: ["XDG_RUNTIME_DIR": folder.path])
    // Ignores the machine's own units.
    return (status, output.split(separator: "\n").map(String.init).filter { $0.contains("podflux") })
  }
}
