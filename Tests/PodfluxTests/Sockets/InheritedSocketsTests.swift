import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("Sockets of the service manager", .systemTest)
struct InheritedSocketsTests {
  /// Passes a socket at descriptor 3 as systemd does (sd_listen_fds(3)), and becomes the program.
  private static func launcher(_ socket: String, kind: String = "SOCK_STREAM", listens: Bool = true) -> [String] {
    let script = """
      import os, socket, sys
      s = socket.socket(socket.AF_UNIX, socket.\(kind))
      s.bind(sys.argv[1])
      \(listens ? "s.listen(8)" : "")
      os.dup2(s.fileno(), 3)
      os.set_inheritable(3, True)
      os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="podflux")
      os.execv(sys.argv[2], sys.argv[2:])
      """
    return ["/usr/bin/python3", "-c", script, socket]
  }

  @Test("The daemon listens at them, and leaves their files to the manager", arguments: [false, true])
  func taken(isNamedToo: Bool) throws {
    let scene = try Scene()
    // The configuration of a service names the same socket for clients.
    let environment = isNamedToo ? ["PODFLUX_SOCKET": scene.socketPath] : [:]
    let daemon = try scene.startDaemon([], environment: environment, launcher: Self.launcher(scene.socketPath))
    let client = try scene.attach()
    try client.order("settings/update", ["maxConcurrent": 7])
    #expect(try client.order("engine/shutdown").isEmpty)
    #expect(try client.waitForEnd().status == 0)
    #expect(client.stopReason == "shutdown")
    #expect(try daemon.waitForEnd().status == 0)
    #expect(daemon.lines == [])
    #expect(access(scene.socketPath, F_OK) == 0)
  }

  @Test(
    "One that does not listen, or is no stream, is refused with a sentence", arguments: ["SOCK_STREAM", "SOCK_DGRAM"])
  func unusable(kind: String) throws {
    let scene = try Scene()
    let daemon = try scene.startDaemon([], launcher: Self.launcher(scene.socketPath, kind: kind, listens: false))
    #expect(try daemon.waitForEnd().status == 64)
    #expect(scene.log.contains("descriptor 3 of the service manager is no Unix socket that listens"))
    #expect(access(scene.library, F_OK) != 0)
  }

  @Test("Sockets for another process are left alone")
  func ofAnotherProcess() throws {
    let scene = try Scene()
    let environment = ["LISTEN_PID": "1", "LISTEN_FDS": "1", "XDG_RUNTIME_DIR": scene.outside]
    let daemon = try scene.startDaemon([], environment: environment)
    let client = try scene.attach(["--library", scene.library], environment: environment)
    #expect(try client.leave().status == 0)
    daemon.signal(SIGTERM)
    #expect(try daemon.waitForEnd().status == 0)
  }
}
