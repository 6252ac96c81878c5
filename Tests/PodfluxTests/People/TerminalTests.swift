import Foundation
import Testing
import TestScheduling
import TestSupport

/// `podflux run`, started by a person on a terminal.
@Suite("podflux run on a terminal", .systemTest)
struct TerminalTests {
  /// A pseudoterminal with an engine: `keyboard` writes its input.
  private final class Terminal {
    /// TIOCSPTLCK and TIOCGPTN.
    private static let (unlock, readNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    private let keyboard: FileHandle
    private let process = Process()
    private let folder: TemporaryFolder
    var errors: String { (try? String(contentsOfFile: folder.path + "/errors", encoding: .utf8)) ?? "" }

    init(_ arguments: [String]) throws {
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
      process.arguments = ["run", "--library", folder.path + "/library"] + arguments
      process.standardInput = FileHandle(fileDescriptor: screen, closeOnDealloc: true)
      process.standardOutput = try Self.file(folder.path + "/output")
      process.standardError = try Self.file(folder.path + "/errors")
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

  @Test("With --on-eof exit Ctrl-D stops")
  func exit() throws {
    let terminal = try Terminal(["--on-eof", "exit"])
    try waitUntil("the hint", upTo: 20) { terminal.errors.hasSuffix("\n") }
    #expect(terminal.errors == Self.hint + " Ctrl-D or Ctrl-C stops\n")
    try terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }
}
