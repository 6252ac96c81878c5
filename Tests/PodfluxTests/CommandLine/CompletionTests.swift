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
    let title = "Show: it's $(touch \(trap)) `touch \(trap)` $HOME \\ \"*\" Über;&|"
    try scene.results("get", scene.origin.url("/a.mp3"), "--title", title)
    let script = scene.outside + "/completion.bash"
    let completion = try scene.results("completion", "bash").joined(separator: "\n") + "\n"
    try Data(completion.utf8).write(to: URL(fileURLWithPath: script))
    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/bin/bash")
    bash.arguments = [
      "--norc", "-c",
      #"""
      source "$1"
      COMP_WORDS=("$2" rm Show); COMP_CWORD=2; COMP_LINE="$2 rm Show"; COMP_POINT=${#COMP_LINE}
      _podflux "$2" Show rm
      printf '%s\n' "${COMPREPLY[@]}"
      """#, "bash", script, PodfluxProcess.executablePath,
    ]
    bash.environment = ProcessInfo.processInfo.environment.merging(scene.environment) { $1 }
    let output = Pipe()
    bash.standardOutput = output
    try bash.run()
    let offered = try output.fileHandleForReading.readToEnd() ?? Data()
    bash.waitUntilExit()
    #expect(String(decoding: offered, as: UTF8.self) == title + "\n")
    #expect(!FileManager.default.fileExists(atPath: trap))
  }
}
