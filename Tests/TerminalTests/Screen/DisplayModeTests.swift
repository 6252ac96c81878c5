import Terminal
import Testing

@Suite("How a stream is written to")
struct DisplayModeTests {
  private func mode(
    _ progress: ProgressChoice = .auto, _ color: ColorChoice = .auto, onTerminal: Bool = true,
    _ environment: [String: String] = ["TERM": "xterm-256color"]
  ) -> DisplayMode {
    DisplayMode(progress: progress, color: color, isTerminal: onTerminal, environment: environment)
  }

  @Test("On a terminal a live table in color, elsewhere plain lines")
  func auto() {
    #expect(mode().progress == .live && mode().usesColor)
    let piped = mode(onTerminal: false)
    #expect(piped.progress == .plain && !piped.usesColor)
  }

  @Test("A terminal that is dumb or has no name gets plain lines", arguments: [["TERM": "dumb"], ["TERM": ""], [:]])
  func dumb(environment: [String: String]) {
    let dumb = mode(environment)
    #expect(dumb.progress == .plain && !dumb.usesColor)
  }

  private func mode(_ environment: [String: String]) -> DisplayMode {
    mode(.auto, .auto, onTerminal: true, environment)
  }

  @Test("NO_COLOR takes the colors only, unless they are demanded")
  func noColor() {
    let environment = ["TERM": "xterm", "NO_COLOR": "1"]
    #expect(mode(environment).progress == .live && !mode(environment).usesColor)
    #expect(mode(.auto, .always, onTerminal: true, environment).usesColor)
    #expect(mode(["TERM": "xterm", "NO_COLOR": ""]).usesColor, "an empty one says nothing")
    #expect(mode(.auto, .always, onTerminal: false).usesColor && !mode(.auto, .never).usesColor)
  }

  @Test("What is demanded is done")
  func demanded() {
    #expect(mode(.plain).progress == .plain && mode(.none).progress == .none)
    #expect(mode(.none, onTerminal: false).progress == .none)
    #expect(ProgressChoice(rawValue: "plain") == .plain && ColorChoice(rawValue: "always") == .always)
  }
}
