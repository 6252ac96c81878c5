import Flux
import Testing

@testable import PodfluxCore

/// A file system soon gives the inode of a deleted file to a new one. Then two rows have it, and one file.
@Suite("An inode that passed from one download's file to another's")
struct ReusedInodeTests {
  private let scene = PlannerScene()

  /// Adds a row whose download was completed at this time.
  private func row(
    _ name: String, at path: String, length: Int64 = 10, time: Int64, content: String? = nil, finished: Int64 = 0
  ) throws -> PublishedFile {
    let file = try scene.row(name, at: path, length: length, inode: 7, content: content, time: time)
    scene.rows[scene.rows.count - 1].finished = Timestamp(milliseconds: finished)
    return file
  }

  @Test("At one path: the file is the row's whose length and time it has, and the other's is missing")
  func onePath() throws {
    for length: Int64 in [10, 11] {
      scene.rows = []
      scene.entries = []
      let gone = try row("a", at: "s", length: length, time: 1)
      _ = try row("b", at: "s", time: 2)
      let found = scene.found("s", inode: 7, time: 2)
      // The second listing finds no file that the first one has not.
      #expect(try scene.plan(listedAgain: [found]).map(\.finding) == [.missing(try .named("a"), gone, instead: found)])
    }
  }

  @Test(
    "At one path, and edited since: the file is that of the download which was completed last",
    arguments: [10, 14] as [Int64])
  func editedAtOnePath(length: Int64) throws {
    let gone = try row("a", at: "s", time: 1, finished: 100)
    let file = try row("b", at: "s", time: 2, finished: 200)
    let other = try row("c", at: "s", time: 3, finished: 150)
    let found = scene.found("s", length: length, inode: 7, time: 9)
    scene.media[7] = true
    let edited = try #require(found.published(sha256: nil))
    let findings = try scene.plan().map(\.finding)
    #expect(
      Set(findings) == [
        .modified(try .named("b"), from: file, to: edited), .missing(try .named("a"), gone, instead: found),
        .missing(try .named("c"), other, instead: found),
      ])
    #expect(findings.count == 3)
  }

  /// The row at the path would follow an edit that the store refuses in each run, since it is another download's file.
  @Test("A file that was moved to the path of a row with its inode is followed, and that row's file is missing")
  func movedThere() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    for content in [nil, "same"] as [String?] {
      scene.rows.removeAll { $0.file.inode == 7 }
      scene.entries.removeAll { $0.place != EntryPath(bytes: Array("h".utf8)) }
      let gone = try row("a", at: "a", time: 1, content: content)
      let file = try row("b", at: "b", time: 2, content: content)
      let found = scene.found("a", inode: 7, content: content, time: 2)
      var moved = file
      moved.path = gone.path
      #expect(
        try scene.plan().map(\.finding) == [
          .moved(try .named("b"), from: file, to: moved), .missing(try .named("a"), gone, instead: found),
        ])
    }
  }

  @Test("A second name of a file at the path of a row with its inode is left, and that row's file is missing")
  func linkedThere() throws {
    let gone = try row("a", at: "a", time: 1, content: "same")
    _ = try row("b", at: "b", time: 2, content: "same")
    let link = scene.found("a", inode: 7, content: "same", time: 2)
    scene.found("b", inode: 7, content: "same", time: 2)
    let steps = try scene.plan()
    #expect(steps.map(\.finding) == [.missing(try .named("a"), gone, instead: link), .orphan(link)])
    #expect(steps.map(\.decision) == [.forget, .leave])
  }

  @Test("A name is the row's that claims the file, wherever other rows with its inode have theirs")
  func names() throws {
    let (a, b) = (try row("a", at: "a", time: 1), try row("b", at: "b", time: 2))
    let atA = FoundFile(place: EntryPath(a.path), length: 10, inode: 7, modifiedNanoseconds: 2)
    let atB = FoundFile(place: EntryPath(b.path), length: 10, inode: 7, modifiedNanoseconds: 2)
    var edited = atA
    edited.modifiedNanoseconds = 9
    #expect(FileName.of(atB, expected: [a, b]) { _ in false } == .own)
    #expect(FileName.of(atA, expected: [a, b]) { $0 == b.path } == .second)
    #expect(FileName.of(atA, expected: [a, b]) { $0 == a.path } == .free)
    // No row claims it any more: its inode tells.
    #expect(FileName.of(edited, expected: [a, b]) { _ in true } == .own)
  }

  /// Seed 121017 of the simulator: the row of a file that cannot be told had the path too, and the edit waited for it
  /// in each run.
  @Test("A row follows an edit at its own path, although another row has that path")
  func followedInPlace() throws {
    let world = try World()
    let (first, second) = (try world.enqueue("a"), try world.enqueue("b"))
    let (a, b) = (
      try PublishedFile.sample("a.mp3", length: 70, inode: 1), try PublishedFile.sample("a.mp3", length: 70, inode: 2)
    )
    try world.finish(first, as: a)
    try world.finish(second, as: b)
    var edited = b
    (edited.length, edited.inode, edited.modifiedNanoseconds) = (75, 3, 5)
    try world.cleanUp([.planned(.modified(second, from: b, to: edited), .follow)])
    #expect(try world.row(first).state == .completed(a))
    #expect(try world.row(second).state == .completed(edited))
  }

  /// Seed 1100216 of the simulator: the survey had begun before the other download was published there, with the same
  /// content. Both rows had the file then, and each further cleanup tried to let one of them follow it.
  @Test("A row follows no file at its own path that another download has published there meanwhile")
  func publishedInPlace() throws {
    let world = try World()
    let (first, second) = (try world.enqueue("a"), try world.enqueue("b"))
    let (gone, present) = (
      try PublishedFile.sample("a.mp3", length: 70, inode: 1), try PublishedFile.sample("a.mp3", length: 70, inode: 2)
    )
    try world.finish(first, as: gone)
    try world.finish(second, as: present)
    try world.cleanUp([.planned(.moved(first, from: gone, to: present), .follow)])
    #expect(try world.stepRows().map(\.status) == [.left])
    #expect(try world.row(first).state == .completed(gone))
    #expect(try world.row(second).state == .completed(present))
  }

  /// Seed 143772 of the simulator: the other row's claim kept the row from following until the next cleanup.
  @Test("Of two rows with the same file at a path that it has left, one follows it, and the other's is missing")
  func sharedAndMoved() throws {
    let world = try World()
    let (first, second) = (try world.enqueue("a"), try world.enqueue("b"))
    let file = try PublishedFile.sample("a.mp3", length: 70, inode: 7)
    try world.finish(first, as: file)
    try world.finish(second, as: file)
    var moved = file
    moved.path = try LibraryPath(validating: "b.mp3")
    try world.cleanUp([
      .planned(.moved(first, from: file, to: moved), .follow), .planned(.missing(second, file, instead: nil), .forget),
    ])
    #expect(try world.stepRows().map(\.status) == [.done, .done])
    #expect(try world.row(first).state == .completed(moved))
    #expect(try world.download(second) == nil)
  }
}
