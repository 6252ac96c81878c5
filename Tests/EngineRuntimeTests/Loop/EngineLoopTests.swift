import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("The turn loop")
struct EngineLoopTests {
  private let host: FakeHost

  init() throws {
    host = try FakeHost()
  }

  private func enqueue(_ name: String) throws -> EngineRequest.Content {
    var wish = DownloadIntent.Enqueue(address: try WebAddress("http://example.org/\(name).mp3"))
    wish.id = DownloadID(name)
    return .intent(.downloads(.enqueue(wish)))
  }

  @Test("A batch is committed, answered, executed and published, in this order, and then its delivery ends")
  func order() throws {
    #expect(host.post(try enqueue("a"), "1"))
    #expect(host.post(.barrier, "2"))
    #expect(
      host.run() == [
        "1: done", "2: done", "committed 0 facts, 1 intents", "start a", "state changed", "turn ended",
      ])
  }

  @Test("A query is answered after all earlier requests, and before all later ones")
  func queries() throws {
    #expect(host.post(try enqueue("a"), "1"))
    #expect(host.post(.query(.unobserve), "2"))
    #expect(host.post(.barrier, "3"))
    #expect(
      host.run().filter { $0.contains(":") || $0 == "turn ended" } == [
        "1: done", "2: answer", "turn ended", "3: done", "turn ended",
      ])
  }

  @Test("A turn takes reports of refreshes until they tell of a thousand episodes, and requests with the first of them")
  func episodesInTurn() throws {
    let id = FeedRefresh.ID(feed: try #require(FeedID("f")), generation: 1)
    let page = Array(repeating: EpisodeContent(title: "One"), count: RefreshReport.episodesAtOnce)
    for _ in 0..<6 { host.mailbox.post(fact: .refresh(RefreshReport(refresh: id, news: .appeared(page)))) }
    #expect(host.post(.barrier, "1"))
    #expect(
      host.run().filter { $0 != "state changed" } == [
        "1: done", "committed 4 facts, 0 intents", "turn ended", "committed 2 facts, 0 intents", "turn ended",
      ])
  }

  @Test("After a failed commit intents are refused, and facts are delivered again, once and alone")
  func failing() throws {
    host.isDiskFull = true
    host.mailbox.post(fact: .localTime(LocalTime(seconds: 3_600)))
    #expect(host.post(try enqueue("a"), "1"))
    #expect(host.run() == ["commits begin to fail", "1: storage_failure", "turn ended"])
    #expect(host.timers[.redelivery] == EngineLoop.redeliveryMilliseconds)
    host.isDiskFull = false
    #expect(host.post(.barrier, "2"))
    #expect(
      host.run() == [
        "committed 1 facts, 0 intents", "state changed", "commits succeed again", "2: done",
        "committed 0 facts, 0 intents", "state changed", "turn ended",
      ])
    host.loop.fire(.redelivery)
    #expect(host.takeLog() == [])
  }

  @Test("A batch that a full disk refuses is committed at once if room is set aside, and that helps once")
  func roomSetAside() throws {
    host.isDiskFull = true
    host.hasRecordsRoom = true
    host.mailbox.post(fact: .localTime(LocalTime(seconds: 3_600)))
    #expect(host.post(try enqueue("a"), "1"))
    #expect(
      host.run() == [
        "room is made", "1: done", "committed 1 facts, 1 intents", "start a", "state changed", "turn ended",
      ])
    host.isDiskFull = true
    #expect(host.post(try enqueue("b"), "2"))
    #expect(host.run() == ["commits begin to fail", "2: storage_failure", "turn ended"])
  }

  @Test("A stop whose commit fails happens at the deadline")
  func stopWithFullDisk() throws {
    host.isDiskFull = true
    #expect(host.post(.intent(.stop(.now)), "1"))
    #expect(host.run() == ["commits begin to fail", "1: done", "turn ended"])
    #expect(host.timers[.deadline] == EngineLoop.stopMilliseconds)
    host.loop.fire(.deadline)
    #expect(host.takeLog() == ["end unrecorded", "given up", "closed: shutdown, 0 queued"])
    #expect(host.timers.isEmpty)
  }

  @Test("A drain whose commits fail ends, unless a commit succeeds in time")
  func givenUp() throws {
    #expect(host.post(try enqueue("a"), "1"))
    #expect(host.run().contains("start a"))
    host.loop.stop(.drain, because: .eof)
    host.isDiskFull = true
    host.mailbox.post(fact: .timeCame)
    #expect(host.run() == ["committed 1 facts, 0 intents", "state changed", "commits begin to fail", "turn ended"])
    #expect(host.timers[.drainPatience] == EngineLoop.drainPatienceMilliseconds)
    host.isDiskFull = false
    host.loop.fire(.redelivery)
    #expect(host.timers[.drainPatience] == nil)
    host.isDiskFull = true
    host.mailbox.post(fact: .timeCame)
    #expect(host.run().last == "turn ended")
    host.loop.fire(.drainPatience)
    #expect(host.takeLog().suffix(3) == ["end unrecorded", "given up", "closed: eof, 0 queued"])
    #expect(host.loop.lifecycle.hasGivenUp)
  }

  /// Seed 100 of the simulator's world of wrong clocks: a feed waited for 346 days.
  @Test("A clock that was set back wakes the stores also where another alarm replaces the one that could tell")
  func clockSetBack() throws {
    let session = try #require(host.session)
    host.now = 100_000_000
    host.loop.carryOut([.wake(at: Timestamp(milliseconds: 200_000_000))], by: session)
    #expect(host.run().isEmpty)
    host.wallOffset = -50_000_000
    host.loop.carryOut([.wake(at: Timestamp(milliseconds: 190_000_000))], by: session)
    #expect(host.run().contains("committed 1 facts, 0 intents"))
    host.loop.carryOut([.wake(at: Timestamp(milliseconds: 180_000_000))], by: session)
    #expect(host.run().isEmpty)
  }

  @Test("A suspended engine refuses actions, does nothing, and opens its library again at the resumption")
  func suspension() throws {
    #expect(host.post(.intent(.stop(.suspend)), "1"))
    #expect(host.post(try enqueue("a"), "2"))
    #expect(
      host.run() == [
        "committed 1 facts, 0 intents", "state changed", "turn ended", "given up", "1: done", "turn ended",
        "2: suspended", "turn ended",
      ])
    host.mailbox.post(fact: .timeCame)
    #expect(host.run() == ["turn ended"])
    host.obstacle = Refusal(.conflict, "another engine has it")
    #expect(host.post(.resume, "3"))
    #expect(host.run() == ["3: conflict", "turn ended"])
    host.obstacle = nil
    #expect(host.post(.resume, "4"))
    #expect(
      host.run() == [
        "opened", "prepared, no path reported", "committed 1 facts, 0 intents", "state changed", "services begin",
        "4: done", "turn ended",
      ])
  }

  @Test("During a suspension by a signal only, requests wait for its end")
  func signalled() throws {
    host.loop.suspend(for: .process, answering: host.request(.barrier, "suspension"))
    #expect(host.takeLog().suffix(3) == ["given up", "suspension: done", "turn ended"])
    #expect(host.post(try enqueue("a"), "1"))
    #expect(host.run() == [])
    host.loop.resume(for: .process, answering: host.request(.resume, "resumption"))
    #expect(host.takeLog().last == "resumption: done")
    #expect(host.run().first == "1: done")
  }

  /// The library was opened at the end of one delivery, and the drain found nothing left to do there: no other delivery
  /// came, and the engine neither worked nor ended.
  @Test("A drain that finds nothing left in a library that was just opened again ends the engine")
  func drainedAtOpening() throws {
    // No cleanup is under way: neither that of the first start, nor one of the next.
    var patch = SettingsPatch()
    patch.cleanupOnStart = false
    host.mailbox.post(fact: .surveyed(1, .complete(.init(), remark: nil)))
    #expect(host.post(.intent(.updateSettings(patch)), "settings"))
    #expect(host.run().last == "turn ended")
    host.isDiskFull = true
    host.loop.suspend(for: .process, answering: host.request(.barrier, "suspension"))
    host.loop.stop(.drain, because: .eof)
    host.loop.resume(for: .process, answering: host.request(.resume, "resumption"))
    host.isDiskFull = false
    host.loop.fire(.deadline)
    #expect(host.takeLog().suffix(3) == ["resumption: done", "given up", "closed: eof, 0 queued"])
    #expect(host.loop.lifecycle.isClosed)
  }

  @Test("A reported path survives a suspension")
  func reportedPath() throws {
    #expect(host.post(.intent(.network(.report(NetworkPath(status: .offline)))), "1"))
    #expect(host.post(.intent(.stop(.suspend)), "2"))
    #expect(host.post(.resume, "3"))
    #expect(host.run().contains("prepared, offline reported"))
  }

  @Test("A closed engine refuses requests, and does nothing more")
  func closed() throws {
    #expect(host.post(.intent(.stop(.now)), "1"))
    #expect(host.post(try enqueue("a"), "2"))
    #expect(host.run().suffix(3) == ["turn ended", "given up", "closed: shutdown, 0 queued"])
    #expect(host.post(try enqueue("b"), "3"))
    #expect(host.run() == ["3: shutting_down"])
    host.loop.stop(.now, because: .signal)
    host.loop.resume(for: .client, answering: host.request(.resume, "4"))
    host.mailbox.post(fact: .timeCame)
    #expect(host.run() == ["4: shutting_down"])
  }
}
