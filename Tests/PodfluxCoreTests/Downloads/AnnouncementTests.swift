import Flux
import Testing

@testable import PodfluxCore

@Suite("Announcements")
struct AnnouncementTests {
  @Test("A start, a wait and an end are announced with the number of the action that caused them")
  func life() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let attempt = try #require(world.attempts[id]?.id)
    #expect(world.announcements == [.started(attempt)])
    #expect(attempt.generation == world.dispatcher.position.sequence)
    try world.report(id, .failed(.lost, kept: nil))
    guard case .waiting(let waiting) = try world.state(id) else {
      Issue.record("it does not wait")
      return
    }
    #expect(world.announcements == [.waiting(id, waiting)])
    try world.send(.downloads(.cancel(.one(id))))
    #expect(world.announcements == [.removed(id)])
    try world.send(.updateSettings(SettingsPatch()))
    #expect(world.announcements.isEmpty)
  }

  @Test("A removal names the file that goes with the download, and none that stays", arguments: [true, false])
  func removal(deletingFile: Bool) throws {
    let world = try World()
    let id = try world.enqueue("a")
    let file = PublishedFile(path: try LibraryPath(validating: "a.mp3"), length: 9, inode: 1)
    try world.finish(id, as: file)
    try world.send(.downloads(.remove(.one(id), deletingFile: deletingFile)))
    #expect(world.announcements == [.removed(id, deleting: deletingFile ? file : nil)])
  }

  @Test("A new day wakes the stores, and they request a wake-up for the next")
  func days() throws {
    let world = try World()
    let today = World.beginning.day
    #expect(world.dispatcher.state.filters.today?.number == today)
    world.clock.wall = Timestamp(day: today + 1)
    try world.send(.timeCame)
    #expect(world.dispatcher.state.filters.today?.number == today + 1)
    // After the clock is set back, ages count from that day again.
    world.clock.wall = World.beginning
    try world.send(.timeCame)
    #expect(world.dispatcher.state.filters.today?.number == today)
  }
}
