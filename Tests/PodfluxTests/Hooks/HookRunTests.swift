import Logging
import Testing

@testable import podflux

@Suite("A run of a program for a completed download")
struct HookRunTests {
  @Test("that is told to end before it has begun starts no program")
  func endedBefore() throws {
    let run = HookRun()
    run.end(as: .stopped)
    let command = try HookCommand(path: "/bin/sh", arguments: ["-c", "exit 3"], limitSeconds: 10)
    let output = HookOutput(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    #expect(run.run(command, input: [], output: output) == .stopped)
    let next = HookOutput(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    #expect(HookRun().run(command, input: [], output: next) == .exited(3))
  }
}
