import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("The engine's socket in the file system", .systemTest)
struct SocketFileTests {
  /// Runs a command that should fail, and returns its status and what it says.
  private func failure(_ arguments: [String]) throws -> (status: Int32, words: String) {
    let result = try PodfluxCommand.run(arguments)
    #expect(result.output == "")
    return (result.status, result.errors)
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  @Test("It is for its own user alone, whatever the umask, and gone at the end")
  func mode() throws {
    let scene = try Scene()
    let engine = try scene.start(
      ["--socket", scene.socketPath], launcher: ["/bin/sh", "-c", "umask 0; exec \"$0\" \"$@\""])
    #expect(mode(scene.socketPath) == 0o600)
    engine.closeInput()
    _ = try engine.waitForEnd()
    #expect(mode(scene.socketPath) == nil)
  }

  @Test("Without --socket it is found by its library, in a folder for its own user alone")
  func standardPath() throws {
    let scene = try Scene()
    let runtime = ["XDG_RUNTIME_DIR": scene.outside + "/run"]
    try FileManager.default.createDirectory(atPath: scene.outside + "/run", withIntermediateDirectories: false)
    let daemon = try scene.startDaemon([], environment: runtime)
    // By another way to the same folder.
    try FileManager.default.createSymbolicLink(atPath: scene.outside + "/link", withDestinationPath: scene.library)
    let client = try scene.attach(["--library", scene.outside + "/link"], environment: runtime)
    #expect(mode(scene.outside + "/run/podflux") == 0o700)
    #expect(try client.leave().status == 0)
    let stranger = try scene.startUnready("attach", ["--library", scene.outside], environment: runtime)
    #expect(try stranger.waitForEnd().status == 69)
    daemon.signal(SIGTERM)
    #expect(try daemon.waitForEnd().status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.outside + "/run/podflux") == [])
  }

  @Test("A killed engine's socket is replaced by the next engine; a client in between is told that none listens")
  func stale() throws {
    let scene = try Scene()
    let killed = try scene.startDaemon()
    let client = try scene.attach()
    try killed.kill()
    #expect(try client.waitForEnd().status == 1)
    #expect(scene.log.contains("the connection has ended without the engine's last line"))
    let nothing = try failure(["attach", "--socket", scene.socketPath])
    #expect(nothing.status == 69)
    #expect(nothing.words.contains("no engine listens at \(scene.socketPath)"))
    let next = try scene.startDaemon()
    #expect(try scene.attach().leave().status == 0)
    next.signal(SIGTERM)
    #expect(try next.waitForEnd().status == 0)
    #expect(try failure(["attach", "--socket", scene.socketPath]).status == 69)
  }

  @Test("An engine takes no other engine's socket, nor its library")
  func live() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    let other = try failure(["daemon", "--library", scene.outside + "/other", "--socket", scene.socketPath])
    #expect(other.status == 75)
    #expect(other.words.contains("another engine listens at \(scene.socketPath)"))
    #expect(access(scene.outside + "/other", F_OK) != 0)
    let same = try failure(["daemon", "--library", scene.library, "--socket", scene.outside + "/b.sock"])
    #expect(same.status == 75)
    #expect(same.words.contains("another engine (process \(engine.pid)) holds this library"))
    #expect(mode(scene.outside + "/b.sock") == nil)
    #expect(try scene.attach().leave().status == 0)
  }

  @Test("Another engine's socket at the same path is not removed at the end")
  func exchanged() throws {
    let scene = try Scene()
    let first = try scene.startListening()
    unlink(scene.socketPath)
    let second = try scene.startUnready(
      "daemon", ["--library", scene.outside + "/other", "--socket", scene.socketPath])
    #expect(try scene.attach().leave().status == 0)
    first.closeInput()
    _ = try first.waitForEnd()
    #expect(try scene.attach().leave().status == 0)
    second.signal(SIGTERM)
    _ = try second.waitForEnd()
    #expect(mode(scene.socketPath) == nil)
  }

  @Test(
    "A path that is too long, a file that is no socket, a folder that is missing: each is told, and nothing changes")
  func unusable() throws {
    let scene = try Scene()
    let long = scene.outside + "/" + String(repeating: "a", count: 108)
    for command in [["run", "--library", scene.library], ["daemon", "--library", scene.library], ["attach"]] {
      let result = try failure(command + ["--socket", long])
      #expect(result.status == 64)
      #expect(result.words.contains("a Unix socket's path has 1 to 107 bytes"))
      #expect(result.words.contains("has \(long.utf8.count)"))
    }
    let file = scene.outside + "/file"
    try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
    let noSocket = try failure(["daemon", "--library", scene.library, "--socket", file])
    #expect(noSocket.status == 64)
    #expect(noSocket.words.contains("is there and is no socket"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
    let missing = try failure(["daemon", "--library", scene.library, "--socket", scene.outside + "/none/a.sock"])
    #expect(missing.status == 64)
    #expect(missing.words.contains("No such file or directory"))
    #expect(access(scene.library, F_OK) != 0)
  }

  private static let canBeAnother = geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0

  @Test(
    "Another user is refused with one line, even where the file lets it in",
    .enabled(if: canBeAnother, "only root with setpriv can be another user"))
  func foreignUser() throws {
    let scene = try Scene()
    let engine = try scene.startListening()
    // The other user cannot read the configuration of this one.
    let launcher = [
      "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/env", "HOME=/nonexistent",
    ]
    chmod(scene.outside, 0o755)
    let kept = try scene.startUnready("attach", ["--socket", scene.socketPath], launcher: launcher)
    #expect(try kept.waitForEnd().status == 64)
    #expect(scene.log.contains("cannot be reached: Permission denied"))
    chmod(scene.socketPath, 0o666)
    let refused = try scene.startUnready("attach", ["--socket", scene.socketPath], launcher: launcher)
    #expect(try refused.waitForEnd().status == 1)
    #expect(refused.lines.count == 1)
    #expect(refused.lines.first?.contains("this engine serves its own user (0) and root only") == true)
    let words = "podflux: this engine serves its own user (0) and root only; connect as one of them\n"
    #expect(scene.log.components(separatedBy: words).count == 2)
    let status = try scene.startUnready("status", ["--socket", scene.socketPath], launcher: launcher)
    #expect(try status.waitForEnd().status == 1)
    #expect(scene.log.components(separatedBy: words).count == 3)
    try engine.order("snapshot", ["stores": ["engine"]])
  }

  @Test(
    "Nothing is sent to another user's socket: a fake one in /tmp has got the password of sessions open",
    .enabled(if: canBeAnother, "only root with setpriv can be another user"))
  func foreignEngine() throws {
    let scene = try Scene()
    try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: false)
    #expect(chown(scene.library, 65534, 65534) == 0)
    // As /tmp is.
    chmod(scene.outside, 0o1777)
    let engine = try scene.startDaemon(launcher: [
      "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/env", "HOME=/nonexistent",
    ])
    // Root may use the engine of a library that is named.
    try scene.attach(["--socket", scene.socketPath, "--library", scene.library]).leave()
    let refused = try failure([
      "sessions", "open", "x", "--host", "example.org", "--user", "me", "--password-stdin", "--socket",
      scene.socketPath,
    ])
    #expect(refused.status == 64)
    #expect(refused.words.contains("the socket \(scene.socketPath) is user 65534's; nothing is sent there"))
    #expect(engine.isAlive)
  }

  @Test(
    "The system's service keeps no other user from a library of their own",
    .enabled(if: canBeAnother && NetworkNamespace.unavailability == nil, "only root can hide the machine's /run"))
  func privateService() throws {
    let scene = try Scene()
    chmod(scene.outside, 0o755)
    // The folder of the service's socket, as only the service can enter it.
    let script = """
      mount -t tmpfs none /run && mkdir -m 700 /run/podflux && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
      env -u XDG_RUNTIME_DIR HOME=/nonexistent "$0" "$@"
      """
    let status = try scene.startUnready(
      "status", ["--library", scene.library], launcher: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script])
    #expect(try status.waitForEnd().status == 65)
    #expect(scene.log.contains("is no library of Podflux"))
  }

  @Test("Without a word about the library attach finds the engine of the default one, or else the system's")
  func defaultLibrary() throws {
    let scene = try Scene()
    let environment = ["HOME": scene.outside, "XDG_CONFIG_HOME": scene.outside, "XDG_RUNTIME_DIR": scene.outside]
    let stranger = try PodfluxCommand.run(["attach"], environment: environment)
    #expect(stranger.status == 69 && stranger.errors.contains(".sock or at /run/podflux/engine.sock; "), "\(stranger)")
    let daemon = try scene.startUnready("daemon", [], environment: environment)
    #expect(try scene.attach([], environment: environment).leave().status == 0)
    #expect(FileManager.default.fileExists(atPath: scene.outside + "/Podcasts/.podflux"))
    #expect(daemon.isAlive)
  }

  @Test("A socket that is named needs no HOME for the usual library, which is not meant")
  func homeless() throws {
    let scene = try Scene()
    let daemon = try scene.startDaemon()
    try scene.attach().leave()
    let launcher = ["/usr/bin/env", "-u", "HOME", "-u", "PODFLUX_LIBRARY"]
    let environment = ["XDG_CONFIG_HOME": scene.outside]
    for (command, said) in [("attach", ""), ("status", ""), ("ls", ""), ("pause --all", "0 paused\n")] {
      let words = command.split(separator: " ").map(String.init) + ["--socket", scene.socketPath]
      let result = try PodfluxCommand.run(words, environment: environment, launcher: launcher)
      #expect(result.status == 0 && result.errors == said, "\(command): \(result)")
    }
    let unnamed = try PodfluxCommand.run(["status"], environment: environment, launcher: launcher)
    #expect(unnamed.errors == "podflux: --library: there is no HOME for the usual folder; name one\n")
    #expect(daemon.isAlive)
  }
}
