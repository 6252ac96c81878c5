import Foundation
import Testing
import TestScheduling
import TestSupport

/// `podflux run`, and a command that asks, started by a person on a terminal.
@Suite("podflux on a terminal", .systemTest)
struct TerminalTests {
  /// A pseudoterminal with a command: `keyboard` writes its input.
  private final class Terminal {
    /// TIOCSPTLCK and TIOCGPTN.
    private static let (unlock, readNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    private let keyboard: FileHandle
    private let process = Process()
    private let folder: TemporaryFolder
    /// What it has shown when it was read last.
    private(set) var shown = ""
    var errors: String { (try? String(contentsOfFile: folder.path + "/errors", encoding: .utf8)) ?? "" }

    /// `podflux run` in a library of its own, whose stderr is a file.
    convenience init(_ arguments: [String]) throws {
      try self.init { ["run", "--library", $0 + "/library"] + arguments }
    }

    /// A command whose stderr is the terminal, too.
    convenience init(_ command: [String], environment: [String: String]) throws {
      try self.init(environment: environment, showsErrors: true) { _ in command }
    }

    private init(
      environment: [String: String] = [:], showsErrors: Bool = false, _ arguments: (_ folder: String) -> [String]
    ) throws {
      folder = try TemporaryFolder("podflux-terminal")
      // Like posix_openpt(3), unlockpt(3) and ptsname(3), which Glibc's module does not export: ioctl_tty(2).
      let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (lock, number): (Int32, UInt32) = (0, 0)
      guard master >= 0, ioctl(master, Self.unlock, &lock) == 0, ioctl(master, Self.readNumber, &number) == 0 else {
        throw POSIXError(.ENODEV)
      }
      keyboard = FileHandle(fileDescriptor: master, closeOnDealloc: true)
      let screen = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      guard screen >= 0 else { throw POSIXError(.ENODEV) }
      process.executableURL = URL(fileURLWithPath: PodfluxProcess.executablePath)
      process.arguments = arguments(folder.path)
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      let terminal = FileHandle(fileDescriptor: screen, closeOnDealloc: true)
      process.standardInput = terminal
      process.standardOutput = try Self.file(folder.path + "/output")
      process.standardError = showsErrors ? terminal : try Self.file(folder.path + "/errors")
      try process.run()
    }

    deinit {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    private static func file(_ path: String) throws -> FileHandle {
      guard FileManager.default.createFile(atPath: path, contents: nil) else { throw POSIXError(.EIO) }
      return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    func type(_ text: String) throws { try keyboard.write(contentsOf: Array(text.utf8)) }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Whether ^C sends a signal: a terminal's two sides have one state.
    var sendsSignals: Bool {
      var state = termios()
      return tcgetattr(keyboard.fileDescriptor, &state) == 0 && state.c_lflag & tcflag_t(ISIG) != 0
    }

    /// Whether the process is stopped (proc(5)).
    var isStopped: Bool {
      let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
      return status?.split(separator: ")").last?.hasPrefix(" T") == true
    }

    /// Reads what the terminal shows.
    func read() {
      var watched = pollfd(fd: keyboard.fileDescriptor, events: Int16(POLLIN), revents: 0)
      while poll(&watched, 1, 0) > 0, watched.revents & Int16(POLLIN) != 0 {
        shown += String(decoding: keyboard.availableData, as: UTF8.self)
      }
    }

    /// Waits until the terminal shows some text.
    func wait(for text: String) throws {
      try waitUntil(text, upTo: 20) {
        read()
        return shown.contains(text)
      }
    }

    func waitForEnd() throws -> Int32 {
      try waitUntil("the end of the engine", upTo: 20) { !process.isRunning }
      return process.terminationStatus
    }
  }

  private static let hint = """
    podflux: waiting for lines of JSON; to look around, type {"type":"snapshot"}, to download, \
    {"type":"downloads/enqueue","payload":{"url":"https://…"}};
    """

  @Test("It prints what it waits for, what to type and how to end it; Ctrl-D ends it")
  func drain() throws {
    let terminal = try Terminal([])
    try waitUntil("the hint", upTo: 20) { terminal.errors.hasSuffix("\n") }
    #expect(terminal.errors == Self.hint + " Ctrl-D finishes what can be finished, Ctrl-C stops now\n")
    try terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
    #expect(terminal.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test(
    "A signal ends a command that asks a question, does nothing, and gives the terminal its ^C back", .systemTestAlone)
  func signalAtQuestion() throws {
    // The command went on asking, and a second signal left a terminal without ^C.
    // The tests may have been started by nohup(1), which the command would inherit.
    signal(SIGHUP, SIG_DFL)
    let scene = try Scene()
    let engine = try scene.start()
    for number in 0..<15 {
      try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:9/\(number).mp3", "paused": true])
    }
    try engine.order("engine/shutdown")
    _ = try engine.waitForEnd()
    for signal in [SIGTERM, SIGHUP] {
      let terminal = try Terminal(["rm", "--all"], environment: scene.environment)
      try terminal.wait(for: "[y/N] ")
      try waitUntil("the terminal's state for questions", upTo: 20) { !terminal.sendsSignals }
      terminal.signal(signal)
      #expect(try terminal.waitForEnd() == 130)
      #expect(terminal.sendsSignals)
    }
    #expect(try scene.results("ls", "downloads", "--json").count == 15)
  }

  @Test("A command that is stopped gives back a terminal that shows its table, and writes nothing to another one")
  func stopping() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 30 << 20, bytesPerSecond: 1 << 18)
    for name in ["xterm", "dumb"] {
      let environment = scene.environment.merging(["TERM": name]) { $1 }
      let terminal = try Terminal(["get", scene.origin.url("/a.mp3")], environment: environment)
      try waitUntil("a partial file", upTo: 20) { !scene.partialFiles().isEmpty }
      if name == "xterm" { try terminal.wait(for: "\u{1B}[?25l") }
      terminal.signal(SIGTSTP)
      try waitUntil("the command to be stopped", upTo: 20) { terminal.isStopped }
      terminal.read()
      #expect(terminal.shown.contains("\u{1B}[?25h") == (name == "xterm"))
      #expect(terminal.shown.contains("\u{1B}") == (name == "xterm"), "\(terminal.shown)")
    }
  }

  @Test("With --on-eof exit Ctrl-D stops")
  func exit() throws {
    let terminal = try Terminal(["--on-eof", "exit"])
    try waitUntil("the hint", upTo: 20) { terminal.errors.hasSuffix("\n") }
    #expect(terminal.errors == Self.hint + " Ctrl-D or Ctrl-C stops\n")
    try terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }
}
