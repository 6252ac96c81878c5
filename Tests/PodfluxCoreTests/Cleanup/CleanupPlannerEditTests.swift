import Testing

@testable import PodfluxCore

@Suite("The cleanup's decisions on edited files, and the files that it must leave")
struct CleanupPlannerEditTests {
  private let scene = PlannerScene()

  /// The decision on the one row, whose file is at "a", inode 1, 10 bytes, time 1.
  private func decision(
    length: Int64 = 10, inode: UInt64 = 1, time: Int64? = 1, recorded: Int64? = 1, content: String? = nil,
    as present: String? = nil, isMedia: Bool? = true
  ) throws -> String {
    let scene = PlannerScene()
    _ = try scene.present("other", at: "o", inode: 9)
    try scene.row("a", at: "a", inode: 1, content: content, time: recorded)
    scene.found("a", length: length, inode: inode, content: present ?? content, time: time)
    scene.media[inode] = isMedia
    return try scene.decisions(.init()).joined(separator: ", ")
  }

  @Test("Edited and still media: the row follows, for the same file and for a replacement")
  func edited() throws {
    for inode: UInt64 in [1, 2] {
      #expect(try decision(length: 12, inode: inode, time: 2) == "modified a: follow")
      #expect(try decision(inode: inode, time: 2) == "modified a: follow")
      #expect(try decision(inode: inode, time: 2, content: "x", as: "y") == "modified a: follow")
      #expect(try decision(length: 12, inode: inode, time: 2, content: "x", as: "y") == "modified a: follow")
    }
  }

  @Test("Edited and no longer media: damaged, and only marked")
  func spoilt() throws {
    #expect(try decision(length: 12, time: 2, isMedia: false) == "corrupt a: mark")
    #expect(try decision(time: 2, isMedia: false) == "corrupt a: mark")
    #expect(try decision(inode: 2, time: 2, content: "x", as: "y", isMedia: false) == "corrupt a: mark")
  }

  @Test("Another content without a write: damaged")
  func damaged() throws {
    #expect(try decision(length: 8) == "corrupt a: mark")
    // A disk that fails makes no file longer.
    #expect(try decision(length: 12) == "modified a: follow")
    #expect(try decision(inode: 2, content: "x", as: "y") == "corrupt a: mark")
    // With equal length, only a deep run detects it.
    #expect(try decision(content: "x", as: "y").isEmpty)
  }

  @Test("Without a recorded time, another length or another file is an edit, if it is media")
  func unknownTime() throws {
    #expect(try decision(length: 12, recorded: nil) == "modified a: follow")
    #expect(try decision(inode: 2, recorded: nil, content: "x", as: "y") == "modified a: follow")
    #expect(try decision(length: 12, recorded: nil, isMedia: false) == "corrupt a: mark")
    #expect(try decision(recorded: nil).isEmpty)
  }

  @Test("The same content with another time: the row takes the time, and nothing counts as edited")
  func touched() throws {
    let was = try scene.row("a", at: "a", inode: 1, content: "x", time: 1)
    scene.found("a", inode: 1, content: "x", time: 2)
    var file = was
    file.modifiedNanoseconds = 2
    #expect(try scene.plan().map(\.finding) == [.modified(try .named("a"), from: was, to: file)])
    #expect(file.sha256 == was.sha256)
  }

  @Test("After an edit the recorded SHA-256 is that of the edited file")
  func digest() throws {
    try scene.row("a", at: "a", inode: 1, content: "x", time: 1)
    scene.found("a", length: 12, inode: 2, content: "y", time: 2)
    scene.media[2] = true
    guard case .modified(_, _, let file)? = try scene.plan().first?.finding else { throw Refusal(.notFound, "none") }
    #expect(file.sha256 == PlannerScene.sha256(of: "y"))
    #expect(file.length == 12 && file.inode == 2 && file.modifiedNanoseconds == 2)
    // Afterwards there is nothing to do.
    scene.rows = [ExpectedFile(download: try .named("a"), file: file, isCompleted: true)]
    #expect(try scene.plan(.init(isDeep: true)).isEmpty)
  }

  @Test("An unreadable file is left")
  func unreadable() throws {
    try scene.row("a", at: "a", inode: 1, time: 1)
    scene.found("a", length: 12, inode: 1, time: 2)
    scene.media[1] = .some(nil)
    #expect(try scene.plan().map(\.status) == [.left])
  }

  // MARK: What must stay

  @Test("A file with the length of a missing one may be its only copy: it is neither deleted nor quarantined")
  func onlyCopy() throws {
    _ = try scene.present("here", at: "h", length: 7, inode: 9)
    try scene.row("a", at: "a", inode: 1)
    scene.found("copy", inode: 2)
    scene.found("short", length: 3, inode: 3)
    for (orphans, decision) in [(.delete, "delete"), (.quarantine, "quarantine")] as [(CleanupOptions.Orphans, String)]
    {
      #expect(
        try scene.decisions(.init(orphans: orphans)) == [
          "missing a: forget", "orphan copy: leave", "orphan short: \(decision)",
        ])
    }
    // The same holds after its row is removed.
    scene.rows.removeLast()
    scene.lostLengths[10] = try .named("a")
    #expect(try scene.decisions(.init(orphans: .delete)) == ["orphan copy: leave", "orphan short: delete"])
  }

  @Test("It is taken if its SHA-256 proves that it is another")
  func anotherContent() throws {
    _ = try scene.present("here", at: "h", length: 7, inode: 9)
    try scene.row("a", at: "a", inode: 1, content: "mine")
    scene.found("other", inode: 2, content: "theirs")
    #expect(try scene.decisions(.init(orphans: .delete)) == ["missing a: forget", "orphan other: delete"])
    scene.contents[2] = nil
    #expect(try scene.plan(.init(orphans: .delete)).allSatisfy { $0.decision != .delete })
  }

  @Test("A row that keeps its path makes all rows keep theirs that would follow their files there")
  func oneFileForOneDownload() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "a", inode: 1)
    try scene.row("b", at: "b", inode: 2)
    try scene.row("c", at: "c", inode: 3)
    // The file of a has a path that no row can store, that of b is at a's path, that of c at b's.
    scene.add(FoundFile(place: EntryPath(bytes: [0xFF]), length: 10, inode: 1))
    scene.found("a", inode: 2)
    scene.found("b", inode: 3)
    let steps = try scene.plan(.init(orphans: .delete))
    #expect(steps.map(\.status) == [.left, .left, .left])
    #expect(steps.map(\.finding.kind) == [.orphan, .moved, .moved])
  }
}
