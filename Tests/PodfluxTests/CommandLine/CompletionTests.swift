import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Completion", .systemTest)
struct CompletionTests {
  @Test("bash takes a title for what it is: nothing in it is run or replaced")
  func hostileTitles() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 1000)
    let trap = scene.outside + "/trap"
    let title = "Show: it's <(touch \(trap)) {a,b} ~ \\ \"*\" Über;&|!"
    try scene.results("get", scene.origin.url("/a.mp3"), "--title", title)
    #expect(try completions(of: ["rm", "Show"], in: scene) == [title])
    #expect(!FileManager.default.fileExists(atPath: trap))
  }

  /// Bash expands the only completion that is a file's name, to see whether it is a folder.
  @Test(
    "bash is offered no title in which it would run something",
    arguments: ["$(touch TRAP)", "${x:-$(touch TRAP)}", "`touch TRAP`", "$[a[$(touch TRAP)]]", "$\u{301}{x}", "$100"])
  func dangerousTitles(word: String) throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 1000)
    let trap = scene.outside + "/trap"
    let title = "Show: \(word.replacing("TRAP", with: trap))"
    try scene.results("get", scene.origin.url("/a.mp3"), "--title", title)
    #expect(try completions(of: ["rm", "Show"], in: scene).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: trap))
  }

  @Test(
    "A title is completed behind its first blank, by backslashes and by quotes",
    arguments: [#"Night\ Tr"#, #"'Night Tr"#, #""Night Tr"#, #"night\ tr"#])
  func blanks(typed: String) throws {
    let scene = try Scene()
    for (name, title) in [("a", "Night Trains"), ("b", "Night Watch")] {
      scene.serve("/\(name).mp3", length: 1000)
      try scene.results("get", scene.origin.url("/\(name).mp3"), "--title", title)
    }
    #expect(try titles(for: ["why"], typed, in: scene) == ["Night Trains"])
  }

  @Test("The state of downloads is no folder, and a library may be named with an equals sign")
  func options() throws {
    let scene = try Scene()
    let other = scene.outside + "/other"
    for (name, library) in [("a", scene.library), ("b", other)] {
      scene.serve("/\(name).mp3", length: 1000)
      try scene.results("get", "--library", library, scene.origin.url("/\(name).mp3"), "--title", "Night \(name)")
    }
    #expect(try titles(for: ["rm", "--state", "failed", "--feed"], "N", in: scene) == ["Night a"])
    #expect(try titles(for: ["rm", "--library", other], "N", in: scene) == ["Night b"])
    #expect(try titles(for: ["rm", "--library=" + other], "N", in: scene) == ["Night b"])
    #expect(try titles(for: ["rm", "--library", "=", other], "N", in: scene) == ["Night b"])
  }

  /// What the command itself offers for the first argument of a command, without a shell's view of it.
  private func titles(for words: [String], _ typed: String, in scene: Scene) throws -> [String] {
    let line = ["podflux"] + words + [typed]
    let result = try PodfluxCommand.run(
      ["---completion", words[0], "--", "positional@0", "\(line.count - 1)", "\(typed.utf8.count)"] + line,
      environment: scene.environment)
    #expect(result.status == 0, "\(result)")
    return result.output.split(separator: "\n").map(String.init)
  }

  /// What bash offers for the last of these words.
  private func completions(of words: [String], in scene: Scene) throws -> [String] {
    let script = scene.outside + "/completion.bash"
    let completion = try scene.results("completion", "bash").joined(separator: "\n") + "\n"
    try Data(completion.utf8).write(to: URL(fileURLWithPath: script))
    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/bin/bash")
    bash.arguments =
      [
        "--norc", "-c",
        #"""
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        _podflux "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
        """#, "bash", script, PodfluxProcess.executablePath,
      ] + words
    bash.environment = ProcessInfo.processInfo.environment.merging(scene.environment) { $1 }
    let output = Pipe()
    bash.standardOutput = output
    try bash.run()
    let offered = try output.fileHandleForReading.readToEnd() ?? Data()
    bash.waitUntilExit()
    return String(decoding: offered, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
