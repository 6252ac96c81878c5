import Testing

@Suite("The emulated terminal of these tests")
struct ScreenEmulatorTests {
  @Test("Lines scroll, wrap, and are erased")
  func writing() {
    var screen = ScreenEmulator(columns: 4, rows: 2)
    screen.write("one\r\ntwo\r\nthree")
    #expect(screen.scrolledAway == ["one", "two"] && screen.screen == ["thre", "e"])
    screen.write("\r\u{1B}[1A\u{1B}[K\u{1B}[32mab\u{1B}[0m")
    #expect(screen.screen == ["ab", "e"])
    screen.write("\r\u{1B}[C\u{1B}[J\r日本x")
    #expect(screen.everything == ["one", "two", "日本", "x"])
  }

  @Test("Erasing from the beginning of the screen keeps it, as tmux does")
  func clearing() {
    var screen = ScreenEmulator(columns: 4, rows: 2)
    screen.write("one\r\ntwo\r\u{1B}[1A\u{1B}[J3")
    #expect(screen.scrolledAway == ["one", "two"] && screen.screen == ["3"])
  }

  @Test("Without wrapping the last column is replaced; erasing takes it, as xterm does")
  func lastColumn() {
    var screen = ScreenEmulator(columns: 4, rows: 2)
    screen.write("\u{1B}[?7labcdef")
    #expect(screen.screen == ["abcf"])
    screen.write("\u{1B}[K")
    #expect(screen.screen == ["abc"])
  }

  @Test("Text wraps anew when the width changes, and the cursor stays at its character")
  func reflowing() {
    var screen = ScreenEmulator(columns: 6, rows: 4)
    screen.write("\u{1B}[?7labcdef\r\nghijkl\r\u{1B}[?7h")
    screen.resize(columns: 4, rows: 4)
    #expect(screen.everything == ["abcd", "ef", "ghij", "kl"] && screen.row == 2 && screen.column == 0)
    screen.resize(columns: 8, rows: 4)
    #expect(screen.everything == ["abcdef", "ghijkl"] && screen.row == 1 && screen.column == 0)
  }

  @Test("What it does not know is told")
  func unknown() {
    var screen = ScreenEmulator(columns: 6, rows: 4)
    screen.write("a\u{1B}[5Xb\u{8}\u{9B}2J")
    #expect(screen.unknown == ["[5X", "U+8", "U+9b"])
  }
}
