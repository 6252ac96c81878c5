import CCurl
import Glibc
import PodfluxCore
import Testing
import TestScheduling

@testable import Transfers

@Suite("Waiting for sockets and the timer", .systemTest)
struct SocketWatchTests {
  private static let patience: Int32 = 10_000

  private let watch: SocketWatch

  init() throws { watch = try #require(SocketWatch()) }

  private func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  private func readyNow() throws -> [Int32: Int32] {
    let events = try #require(watch.wait(upToMilliseconds: 0))
    return Dictionary(uniqueKeysWithValues: events.map { ($0.socket, $0.readiness) })
  }

  @Test("A socket is told for what it is watched, again and again, until it is forgotten")
  func readiness() throws {
    let pipe = try makePipe()
    defer { close(pipe.reading) }
    defer { close(pipe.writing) }
    #expect(watch.take(CURL_POLL_IN, in: pipe.reading))
    #expect(watch.take(CURL_POLL_OUT, in: pipe.writing))
    #expect(try readyNow() == [pipe.writing: CURL_CSELECT_OUT])
    #expect(watch.take(CURL_POLL_REMOVE, in: pipe.writing))
    write(pipe.writing, "x", 1)
    for _ in 0..<2 { #expect(try readyNow() == [pipe.reading: CURL_CSELECT_IN]) }
    // A paused transfer wants nothing of its socket, however much comes.
    #expect(watch.take(CURL_POLL_NONE, in: pipe.reading))
    #expect(try readyNow().isEmpty)
    #expect(watch.take(CURL_POLL_REMOVE, in: pipe.reading))
  }

  @Test("An end is something to read")
  func end() throws {
    let pipe = try makePipe()
    defer { close(pipe.reading) }
    #expect(watch.take(CURL_POLL_IN, in: pipe.reading))
    close(pipe.writing)
    #expect(try readyNow() == [pipe.reading: CURL_CSELECT_IN])
  }

  @Test("One that was closed is forgotten, and its number may be another's")
  func reusedNumber() throws {
    let pipe = try makePipe()
    #expect(watch.take(CURL_POLL_IN, in: pipe.reading))
    close(pipe.reading)
    close(pipe.writing)
    #expect(watch.take(CURL_POLL_REMOVE, in: pipe.reading))
    let next = try makePipe()
    defer { close(next.reading) }
    defer { close(next.writing) }
    #expect(watch.take(CURL_POLL_IN, in: next.reading))
    write(next.writing, "x", 1)
    #expect(try readyNow() == [next.reading: CURL_CSELECT_IN])
    // What is no socket cannot be watched.
    #expect(!watch.take(CURL_POLL_IN, in: -1))
  }

  @Test("Another thread ends a wait, also one that has not begun, and only one")
  func wakeUp() throws {
    watch.wakeUp()
    watch.wakeUp()
    #expect(try #require(watch.wait(upToMilliseconds: Self.patience)).isEmpty)
    watch.setTimer(1)
    #expect(try #require(watch.wait(upToMilliseconds: Self.patience)).isEmpty)
    #expect(watch.takeDueTimer())
  }

  @Test("When the timer ends a wait it is due, once, and only the last one that was set counts")
  func timer() throws {
    #expect(!watch.takeDueTimer())
    watch.setTimer(3)
    #expect(try #require(watch.wait(upToMilliseconds: Self.patience)).isEmpty)
    #expect(watch.takeDueTimer())
    #expect(!watch.takeDueTimer())
    watch.setTimer(0)
    watch.setTimer(60_000)
    #expect(!watch.takeDueTimer())
    watch.setTimer(0)
    #expect(watch.takeDueTimer())
    watch.setTimer(0)
    watch.setTimer(-1)
    #expect(!watch.takeDueTimer())
  }

  @Test(
    "Durations are rounded up to milliseconds",
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.milliseconds(5), 5), (.microseconds(5_001), 6), (.seconds(2), 2000),
    ] as [(Duration, Int32)])
  func rounding(duration: Duration, milliseconds: Int32) {
    #expect(duration.waitMilliseconds == milliseconds)
  }
}
