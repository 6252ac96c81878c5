import Flux
import Testing

@testable import PodfluxCore

@Suite("The filters store")
struct FiltersStoreTests {
  private static func filter(_ text: String) throws -> FilterID { try #require(FilterID(text)) }

  private static func active(_ world: World) -> [String] {
    world.dispatcher.state.filters.states.downloads.selection.active.map(\.description)
  }

  private static func refusal(
    _ world: World, _ intent: FilterIntent, over subject: FilterSubject = .downloads
  ) throws -> Refusal? {
    do {
      try world.send(.filters(intent, over: subject))
      return nil
    } catch let refusal as Refusal {
      return refusal
    }
  }

  @Test("A filter is toggled on and off, and active filters survive a restart")
  func toggling() throws {
    let world = try World()
    for name in ["state:failed", "podcast:Show", "state:failed", "media:audio"] {
      try world.send(.filters(.toggle(try Self.filter(name))))
    }
    try world.send(.filters(.setText("words")), .filters(.selectGroup(.size)))
    #expect(Self.active(world) == ["podcast:Show", "media:audio"])
    let state = world.dispatcher.state.filters.states.downloads
    try world.restart()
    #expect(world.dispatcher.state.filters.states.downloads == state)
    try world.send(.filters(.clear))
    #expect(!world.dispatcher.state.filters.states.downloads.selection.isFiltering)
    #expect(world.dispatcher.state.filters.states.downloads.selectedGroup == .size)
  }

  @Test("Downloads and episodes have their own filters, and refuse those of the other")
  func subjects() throws {
    let world = try World()
    try world.send(.filters(.toggle(try Self.filter("played:no")), over: .episodes), .filters(.setText("x")))
    try world.send(.filters(.selectGroup(.favorite), over: .episodes), .filters(.save("a"), over: .episodes))
    let states = world.dispatcher.state.filters.states
    #expect(states.episodes.selection == .init(active: [try Self.filter("played:no")]))
    #expect(states.downloads.selection == .init(text: "x") && states.downloads.saved.isEmpty)
    for (intent, subject, name) in [
      (FilterIntent.toggle(try Self.filter("played:no")), FilterSubject.downloads, "filter"),
      (.toggle(try Self.filter("everything:hidden")), .episodes, "filter"),
      (.selectGroup(.played), .downloads, "group"), (.selectGroup(.origin), .episodes, "group"),
    ] {
      #expect(try Self.refusal(world, intent, over: subject)?.path == "payload.\(name)")
    }
    #expect(try Self.refusal(world, .apply("a"))?.code == .notFound)
    try world.send(.filters(.clear, over: .episodes), .filters(.apply("a"), over: .episodes))
    #expect(world.dispatcher.state.filters.states == states)
    try world.restart()
    #expect(world.dispatcher.state.filters.states == states)
  }

  @Test("Sets are saved under names, sorted, applied, replaced and deleted")
  func saving() throws {
    let world = try World()
    try world.send(.filters(.toggle(try Self.filter("size:huge"))), .filters(.save("b")), .filters(.clear))
    try world.send(.filters(.setText("x")), .filters(.save("a")), .filters(.apply("b")))
    #expect(Self.active(world) == ["size:huge"])
    #expect(world.dispatcher.state.filters.states.downloads.selection.text.isEmpty)
    #expect(world.dispatcher.state.filters.states.downloads.saved.map(\.name) == ["a", "b"])
    try world.send(.filters(.save("a")), .filters(.delete("b")))
    let saved = world.dispatcher.state.filters.states.downloads.saved
    #expect(saved.map(\.selection.active) == [[try Self.filter("size:huge")]])
    for intent in [FilterIntent.apply("b"), .delete("b")] {
      #expect(try Self.refusal(world, intent)?.code == .notFound)
    }
  }

  @Test("More filters or sets than are allowed are refused, and nothing changes")
  func limits() throws {
    let world = try World()
    for number in 0..<FiltersState.Limits.active {
      try world.send(.filters(.toggle(try Self.filter("podcast:\(number)"))))
    }
    #expect(try Self.refusal(world, .toggle(try Self.filter("podcast:more")))?.code == .limitExceeded)
    #expect(Self.active(world).count == FiltersState.Limits.active)
    for number in 0..<FiltersState.Limits.saved { try world.send(.filters(.save("\(number)"))) }
    #expect(try Self.refusal(world, .save("more"))?.code == .limitExceeded)
    #expect(try Self.refusal(world, .save("0")) == nil)
    #expect(world.dispatcher.state.filters.states.downloads.saved.count == FiltersState.Limits.saved)
  }
}
