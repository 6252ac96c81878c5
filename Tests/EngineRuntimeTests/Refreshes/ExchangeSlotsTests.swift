import EngineRuntime
import PodfluxCore
import Testing

@Suite("Slots for exchanges of refreshes")
struct ExchangeSlotsTests {
  private func id(_ name: String) throws -> FeedRefresh.ID {
    FeedRefresh.ID(feed: try #require(FeedID(name)), generation: 1)
  }

  private func names(_ refreshes: [FeedRefresh.ID]) -> [String] { refreshes.map(\.feed.description) }

  @Test("A refresh waits while its host has no slot left, and those behind it on other hosts do not")
  func hosts() throws {
    var slots = ExchangeSlots(3, perHost: 2)
    #expect(try names(slots.ask(for: id("a1"), on: "a")) == ["a1"])
    #expect(try names(slots.ask(for: id("a2"), on: "a")) == ["a2"])
    #expect(try slots.ask(for: id("a3"), on: "a").isEmpty)
    #expect(try names(slots.ask(for: id("b1"), on: "b")) == ["b1"])
    #expect(try slots.ask(for: id("b2"), on: "b").isEmpty)
    // All slots are taken; then the first that waits and may.
    #expect(try names(slots.leave(id("b1"))) == ["b2"])
    #expect(try names(slots.leave(id("a1"))) == ["a3"])
  }

  @Test("One that stays with its host keeps its slot; one that goes to another host gives it up")
  func moves() throws {
    var slots = ExchangeSlots(2, perHost: 1)
    #expect(try names(slots.ask(for: id("a1"), on: "a")) == ["a1"])
    #expect(try names(slots.ask(for: id("a1"), on: "a")) == ["a1"])
    #expect(try slots.ask(for: id("a2"), on: "a").isEmpty)
    #expect(try names(slots.ask(for: id("b1"), on: "b")) == ["b1"])
    #expect(try names(slots.ask(for: id("a1"), on: "b")) == ["a2"])
    #expect(try names(slots.leave(id("b1"))) == ["a1"])
  }

  @Test("One that leaves while it waits gets no slot, and leaving twice frees no slot of another one")
  func leaving() throws {
    var slots = ExchangeSlots(1, perHost: 1)
    #expect(try names(slots.ask(for: id("a1"), on: "a")) == ["a1"])
    #expect(try slots.ask(for: id("a2"), on: "a").isEmpty)
    #expect(try slots.ask(for: id("a3"), on: "a").isEmpty)
    #expect(try slots.leave(id("a2")).isEmpty)
    #expect(try names(slots.leave(id("a1"))) == ["a3"])
    #expect(try slots.leave(id("a1")).isEmpty)
    #expect(try slots.ask(for: id("a4"), on: "a").isEmpty)
  }
}
