import Terminal
import Testing

@Suite("A region that is redrawn in place")
struct LiveRegionTests {
  private func lines(_ texts: String...) -> [StyledText] { texts.map { StyledText($0) } }

  /// A terminal with a region, as a command uses them.
  private struct Display {
    var terminal: ScreenEmulator
    var region = LiveRegion(usesColor: true)

    mutating func draw(_ lines: [StyledText], above: [StyledText] = []) {
      terminal.write(region.draw(lines, above: above, on: terminal.size))
    }
  }

  @Test("Frames replace one another; what is finished scrolls away above")
  func frames() {
    var display = Display(terminal: ScreenEmulator(columns: 20, rows: 5))
    display.terminal.write("$ podflux sync\r\n")
    display.draw(lines("a 10%", "b 20%", "sum"))
    #expect(display.terminal.screen == ["$ podflux sync", "a 10%", "b 20%", "sum"])
    #expect(!display.terminal.showsCursor && display.terminal.isWrapping && !display.terminal.isUpdating)
    display.draw(lines("a 5", "b 30%", "sum"))
    #expect(display.terminal.screen == ["$ podflux sync", "a 5", "b 30%", "sum"])
    display.draw(lines("b 40%", "sum"), above: lines("✓ a"))
    #expect(display.terminal.screen == ["$ podflux sync", "✓ a", "b 40%", "sum"])
    display.draw(lines("c", "d", "e", "sum"), above: lines("✓ b"))
    #expect(display.terminal.scrolledAway == ["$ podflux sync", "✓ a"])
    #expect(display.terminal.screen == ["✓ b", "c", "d", "e", "sum"].suffix(5))
    display.terminal.write(display.region.finish(lines("done"), above: lines("✓ c", "✓ d"), on: display.terminal.size))
    display.terminal.write("$ ")
    #expect(
      display.terminal.everything == ["$ podflux sync", "✓ a", "✓ b", "✓ c", "✓ d", "done", "$"])
    #expect(display.terminal.showsCursor && display.terminal.unknown.isEmpty)
  }

  @Test("A frame that changes nothing is no bytes; erasing and finishing a region that is not there are none either")
  func nothing() {
    var region = LiveRegion(usesColor: false)
    let size = TerminalSize(columns: 20, rows: 5)
    #expect(region.erase().isEmpty && region.finish([], on: size).isEmpty)
    #expect(!region.draw(lines("a"), on: size).isEmpty)
    #expect(region.draw(lines("a"), on: size).isEmpty)
    #expect(!region.draw(lines("a"), on: TerminalSize(columns: 21, rows: 5)).isEmpty)
    #expect(!region.erase().isEmpty && region.erase().isEmpty)
  }

  @Test("Never more lines than the terminal has, none of them wider", arguments: [1, 2, 3, 7])
  func small(rows: Int) {
    var display = Display(terminal: ScreenEmulator(columns: 8, rows: rows))
    for number in 1...3 {
      let frame = (1...6).map { StyledText("line \($0) of frame \(number)") }
      display.draw(frame)
      #expect(display.terminal.scrolledAway.isEmpty)
      #expect(display.terminal.screen == frame.suffix(rows).map { $0.truncated(toWidth: 8).text })
    }
    display.draw([StyledText("sum")], above: lines("✓ 1", "✓ 2"))
    #expect(display.terminal.everything == ["✓ 1", "✓ 2", "sum"])
  }

  @Test("A region that fills the screen leaves no copy of itself above")
  func fullScreen() {
    var display = Display(terminal: ScreenEmulator(columns: 20, rows: 3))
    display.draw(lines("a", "b", "sum"))
    display.draw(lines("b", "sum"), above: lines("✓ a"))
    display.draw(lines("b", "c", "sum"))
    display.terminal.resize(columns: 10, rows: 3)
    display.draw(lines("b", "c", "sum"))
    #expect(display.terminal.everything == ["✓ a", "b", "c", "sum"])
    display.terminal.write(display.region.erase())
    #expect(display.terminal.everything == ["✓ a"])
  }

  @Test("A full line keeps its last character, and a wide one does not wrap")
  func fullLine() {
    var display = Display(terminal: ScreenEmulator(columns: 6, rows: 4))
    display.draw(lines("abcdef", "日本語", "日本語x", "👨‍👩‍👧‍👦👋🏽🇦🇹"))
    #expect(display.terminal.screen == ["abcdef", "日本語", "日本…", "👨‍👩‍👧‍👦👋🏽🇦🇹"])
  }

  @Test("A finished line that is longer than the terminal is wide wraps, and disturbs nothing")
  func longFinished() {
    var display = Display(terminal: ScreenEmulator(columns: 10, rows: 6))
    display.draw(lines("one", "sum"))
    display.draw(lines("two", "sum"), above: lines("✗ one: the server answered 503"))
    #expect(display.terminal.screen == ["✗ one: the", " server an", "swered 503", "two", "sum"])
  }

  @Test(
    "After resizing the screen is whole again, in terminals that wrap anew and in those that cut",
    arguments: ScreenEmulator.Resizing.allCases)
  func resizing(_ resizing: ScreenEmulator.Resizing) {
    for columns in [5, 9, 10, 20, 33, 41, 80, 200] {
      for rows in [4, 6, 10, 24, 50] {
        var display = Display(terminal: ScreenEmulator(columns: 40, rows: 12, resizing))
        display.terminal.write("$ sync\r\n")
        let wide = (1...4).map { StyledText("line \($0) is nearly as wide as 40 columns") }
        display.draw(wide, above: lines("✓ a"))
        display.draw(wide, above: lines("✓ b"))
        // What a terminal that cuts has cut is gone.
        let kept = ["$ sync", "✓ a", "✓ b"].map { resizing == .cutting ? String($0.prefix(columns)) : $0 }

        display.terminal.resize(columns: columns, rows: rows)
        let frame = lines("one", "日本語日本語", "three")
        display.draw(frame)
        let shown = frame.map { $0.truncated(toWidth: columns).text }
        #expect(display.terminal.screen.suffix(3) == shown[...], "\(columns) columns, \(rows) rows")
        if resizing == .cutting || columns > 5 {
          #expect(display.terminal.everything == kept + shown, "\(columns) columns, \(rows) rows")
        }

        display.terminal.resize(columns: 40, rows: 12)
        display.draw(wide, above: lines("✓ c"))
        display.terminal.write(display.region.finish(lines("end"), on: display.terminal.size))
        let all = display.terminal.everything
        #expect(all == kept + ["✓ c", "end"], "\(columns) columns, \(rows) rows")
      }
    }
  }

  @Test("The region can be erased for other output, and comes back below it")
  func erasing() {
    var display = Display(terminal: ScreenEmulator(columns: 20, rows: 6))
    display.draw(lines("one", "sum"))
    display.terminal.write(display.region.erase())
    #expect(display.terminal.screen.isEmpty && display.terminal.showsCursor)
    display.terminal.write("/srv/podcasts/a.mp3\r\n")
    display.draw(lines("two", "sum"))
    #expect(display.terminal.screen == ["/srv/podcasts/a.mp3", "two", "sum"])
  }

  @Test("A handler of a signal can end it without knowing its state")
  func restoration() {
    var display = Display(terminal: ScreenEmulator(columns: 20, rows: 6))
    display.terminal.write("$ sync\r\n")
    display.draw(lines("one", "two", "sum"), above: lines("✓ a"))
    // The terminal echoes ^C where the cursor is.
    display.terminal.write("^C")
    display.terminal.write(LiveRegion.restoration)
    #expect(display.terminal.everything == ["$ sync", "✓ a"])
    #expect(display.terminal.showsCursor && display.terminal.isWrapping && !display.terminal.isUpdating)
  }

  @Test("Hostile titles move nothing")
  func hostile() {
    var display = Display(terminal: ScreenEmulator(columns: 30, rows: 6))
    let titles = [
      "\u{1B}[2J\u{1B}[H", "a\r\nb\u{9B}5A", "\u{202E}drowssap", "\u{8}\u{8}\u{8}\u{7F}",
      String(repeating: "\u{301}", count: 500), "x\u{1B}]52;c;AAAA\u{7}",
    ]
    display.terminal.write("before\r\n")
    for title in titles {
      display.draw(lines("above", title, "below"), above: lines("✓ " + title))
      #expect(display.terminal.screen.last == "below" && display.terminal.unknown.isEmpty)
      #expect(display.terminal.screen.suffix(3).first == "above")
    }
    #expect(display.terminal.everything.first == "before")
    #expect(display.terminal.everything.count == 1 + titles.count + 3)
  }

  @Test("Without color there are no renditions")
  func colors() {
    let size = TerminalSize(columns: 20, rows: 5)
    var plain = LiveRegion(usesColor: false)
    var colored = LiveRegion(usesColor: true)
    let frame = [StyledText("✓", .good) + StyledText(" a")]
    #expect(!String(decoding: plain.draw(frame, on: size), as: UTF8.self).contains("m✓"))
    #expect(String(decoding: colored.draw(frame, on: size), as: UTF8.self).contains("\u{1B}[32m✓\u{1B}[0m a"))
  }
}
