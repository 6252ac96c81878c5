import Foundation
import PodfluxClient
import Testing

@Suite("How long a silent engine is waited for")
struct SilenceWatchTests {
  @Test("One whose process stays stopped is given up soon, greeted or not; one that runs on between is not")
  func stopped() {
    for isGreeted in [false, true] {
      var watch = SilenceWatch(PeerProcess(id: 7))
      for _ in 1..<SilenceWatch.stoppedLooks { #expect(watch.count(isStopped: true, isGreeted: isGreeted) == nil) }
      #expect(watch.count(isStopped: false, isGreeted: isGreeted) == nil)
      for _ in 1..<SilenceWatch.stoppedLooks { #expect(watch.count(isStopped: true, isGreeted: isGreeted) == nil) }
      let engine = watch.count(isStopped: true, isGreeted: isGreeted)
      #expect(engine == SilentEngine(process: PeerProcess(id: 7), isStopped: true))
      #expect(engine?.description.hasSuffix("let it go on with fg in its terminal, or with kill -CONT 7") == true)
    }
  }

  @Test("One that runs has two minutes for its first line, and any time behind it")
  func busy() {
    var watch = SilenceWatch(nil)
    for _ in 1..<SilenceWatch.greetingLooks { #expect(watch.count(isStopped: false, isGreeted: false) == nil) }
    let engine = watch.count(isStopped: false, isGreeted: false)
    #expect(engine?.description.hasPrefix("the engine has not answered for 120 s: its process may be stopped") == true)
    for _ in 0..<10 * SilenceWatch.greetingLooks { #expect(watch.count(isStopped: false, isGreeted: true) == nil) }
    watch.restart()
    #expect(watch.count(isStopped: false, isGreeted: false) == nil)
    let known = SilentEngine(process: PeerProcess(id: 7), isStopped: false)
    #expect(known.description.hasPrefix("the engine (process 7) has not answered for 120 s"))
  }

  @Test("The system shows whether a process is stopped")
  func processes() throws {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/cat")
    child.standardInput = Pipe()
    try child.run()
    defer {
      kill(child.processIdentifier, SIGKILL)
      child.waitUntilExit()
    }
    let process = PeerProcess(id: child.processIdentifier)
    #expect(!process.isStopped)
    kill(process.id, SIGSTOP)
    // wait4(2) returns when the kernel has stopped it.
    var status: Int32 = 0
    #expect(waitpid(process.id, &status, WUNTRACED) == process.id)
    #expect(process.isStopped)
    #expect(!PeerProcess(id: 0).isStopped)
  }
}
