import Flux
import Testing

@testable import PodfluxCore

@Suite("Files that are published with tags")
struct TaggingTests {
  @Test("The row learns what lies there, and beside it what was downloaded, before the copy gets its name")
  func twoFiles() throws {
    var machine = try TransferMachineTests.fetched([1], declared: 1)
    _ = TransferMachineTests.complete(&machine, length: 1)
    let path = try LibraryPath(validating: "a.mp3")
    let copy = PublishedFile(path: path, length: 90, inode: 9, sha256: "of the copy")
    let tagging = Download.Tagging.tagged(.init(length: 1))
    let record = TransferMachineTests.written(machine, 0)
    #expect(
      machine.named(path, inode: 9, tags: .tagged(length: 90, sha256: "of the copy"))
        == [.report(.publishing(copy, kept: record, tagging: tagging)), .synchronizeContents])
    _ = machine.contentsSynchronized()
    #expect(machine.proceed() == [.publish(copy)])
    // Its name was taken.
    #expect(machine.published(nil) == [.name(number: 2)])
    let other = try LibraryPath(validating: "a (2).mp3")
    guard
      case .report(.publishing(let file, _, let again))? = machine.named(
        other, inode: 9, tags: .tagged(length: 90, sha256: "of the copy")
      ).first
    else { return #expect(Bool(false), "it is not announced") }
    #expect(file.path == other && file.length == 90 && again == tagging)
  }

  @Test("A file that could not be tagged is the one that was downloaded, and the row knows why")
  func untagged() throws {
    var machine = try TransferMachineTests.fetched([1], declared: 1)
    _ = TransferMachineTests.complete(&machine, length: 1)
    let path = try LibraryPath(validating: "a.mp3")
    guard
      case .report(.publishing(let file, _, let tagging))? = machine.named(
        path, inode: 9, tags: .untagged(because: "so")
      ).first
    else { return #expect(Bool(false), "it is not announced") }
    #expect(file == PublishedFile(path: path, length: 1, inode: 9))
    #expect(tagging == .untagged(because: "so"))
  }

  @Test("A completed download has the length that was downloaded, whatever tags have added")
  func progress() throws {
    let world = try World()
    let id = try world.enqueue("a")
    var copy = try PublishedFile.sample()
    copy.length = 1_300
    let tagging = Download.Tagging.tagged(.init(length: 1_000, sha256: String(repeating: "a", count: 64)))
    try world.report(id, .publishing(copy, kept: .sample(durable: 900), tagging: tagging))
    #expect(try world.row(id).tagging == tagging)
    try world.restart(published: [id])
    let row = try world.row(id)
    #expect(row.state == .completed(copy) && row.tagging == tagging)
    #expect(row.progress == .init(durable: 1_000, total: 1_000))
  }

  @Test("What became of tags is forgotten with the file, and said anew for the next one")
  func forgotten() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let untagged = Download.Tagging.untagged(because: "no tagger")
    try world.report(id, .publishing(.sample(), kept: .sample(durable: 1_000), tagging: untagged))
    #expect(try world.row(id).tagging == untagged)
    try world.report(id, .failed(.lost, kept: .sample(durable: 1_000)))
    #expect(try world.row(id).tagging == nil)
  }

  @Test("An attempt asks for tags only where that is set, and only for what something is known of")
  func attempts() throws {
    let world = try World()
    let plain = try world.enqueue("plain")
    #expect(world.attempts[plain]?.tags == nil)
    var patch = SettingsPatch()
    patch.tags = true
    try world.send(.updateSettings(patch))
    let unknown = try world.enqueue("unknown")
    #expect(world.attempts[unknown]?.tags == nil)
  }

  @Test("An episode's tags are what its rows say; a track may be no number, and a podcast may have the client's title")
  func episodes() throws {
    var content = EpisodeContent(guid: "g", title: "T")
    (content.season, content.number) = (2, "204.5")
    content.published = PublicationDate(Timestamp(milliseconds: 5), offsetSeconds: 3600)
    let episode = Episode(id: EpisodeID(number: 1), feed: 1, content: content, added: Timestamp(milliseconds: 0))
    let tags = EpisodeTags(episode, of: nil, timeZone: .publisher)
    #expect(tags.isEpisode && tags.title == "T" && tags.disc == 2 && tags.track == nil && tags.podcast == nil)
    #expect(tags.published == content.published)
  }
}
