import Glibc
import Terminal
import Testing

@Suite("A file descriptor that may be a terminal")
struct TerminalDeviceTests {
  /// TIOCSPTLCK and TIOCGPTN of ioctl_tty(2): posix_openpt(3) is not exported by Glibc's module.
  private static let (unlock, readNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  @Test("A pseudoterminal says its size each time it is asked, and the environment what it does not say")
  func size() throws {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (lock, number): (Int32, UInt32) = (0, 0)
    try #require(master >= 0 && ioctl(master, Self.unlock, &lock) == 0 && ioctl(master, Self.readNumber, &number) == 0)
    let screen = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    defer {
      close(screen)
      close(master)
    }
    let device = TerminalDevice(descriptor: screen)
    #expect(device.isTerminal)
    let environment = ["COLUMNS": "91", "LINES": "33"]
    #expect(TerminalSize(of: device, environment: environment) == TerminalSize(columns: 91, rows: 33))
    for (columns, rows) in [(80, 24), (120, 40), (200, 1)] as [(UInt16, UInt16)] {
      var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      try #require(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
      let expected = TerminalSize(columns: Int(columns), rows: Int(rows))
      #expect(TerminalSize(of: device, environment: environment) == expected)
    }
  }

  @Test(
    "A pipe is none; without words of the environment it is as wide as usual", arguments: ["", "0", "-1", "x", "99999"])
  func pipe(columns: String) throws {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    let device = TerminalDevice(descriptor: ends[1])
    #expect(!device.isTerminal)
    #expect(TerminalSize(of: device, environment: ["COLUMNS": columns]) == .usual)
    #expect(device.write(line: "a\u{1B}[2Jb"))
    #expect(!TerminalDevice(descriptor: -1).write(Array("lost".utf8)))
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(ends[0], &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "a�[2Jb\n")
  }
}
