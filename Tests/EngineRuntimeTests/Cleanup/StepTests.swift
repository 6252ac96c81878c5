import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("Cleanup steps check that files are unchanged since the survey")
struct StepTests {
  private let files = MemoryFiles()
  private let now = Timestamp(milliseconds: 0)

  private func found(inode: UInt64 = 5) -> FoundFile {
    FoundFile(place: EntryPath(bytes: Array("a.mp3".utf8)), length: 3, inode: inode, modifiedNanoseconds: 1)
  }

  private func carryOut(_ finding: CleanupStep.Finding, _ decision: CleanupStep.Decision) -> CleanupStep.Outcome {
    files.carryOut(CleanupStep(finding: finding, decision: decision, because: "a test wants it"), at: now)
  }

  private func isLeft(_ outcome: CleanupStep.Outcome) -> Bool {
    if case .left = outcome { true } else { false }
  }

  @Test("An orphan is quarantined, also if that was done before a crash; another file in its place is not")
  func orphan() {
    files.items["a.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 1)
    #expect(isLeft(carryOut(.orphan(found(inode: 6)), .quarantine)))
    #expect(carryOut(.orphan(found()), .quarantine) == .done)
    #expect(carryOut(.orphan(found()), .quarantine) == .done)
    #expect(files.quarantined == ["a.mp3"])
  }

  @Test("An orphan is deleted on request; files behind a link are not touched")
  func deleted() {
    files.items["a.mp3"] = .behindLink
    #expect(isLeft(carryOut(.orphan(found()), .delete)))
    #expect(isLeft(carryOut(.orphan(found()), .quarantine)))
    files.items["a.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 1)
    #expect(carryOut(.orphan(found()), .delete) == .done)
    #expect(carryOut(.orphan(found()), .delete) == .done, "an engine that died may have done it")
  }

  @Test("A download follows a copy of its file only if a link does not hide its own; a moved file it follows")
  func copied() throws {
    let id = try #require(DownloadID("d"))
    let former = try #require(found().published(sha256: nil))
    files.items["b.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 1)
    files.items["c.mp3"] = .file(bytes: [1, 2, 3], inode: 6, modified: 1)
    var (moved, copy) = (former, former)
    moved.path = try LibraryPath(validating: "b.mp3")
    copy.path = try LibraryPath(validating: "c.mp3")
    copy.inode = 6
    files.items["a.mp3"] = .behindLink
    #expect(carryOut(.moved(id, from: former, to: moved), .follow) == .done)
    #expect(isLeft(carryOut(.moved(id, from: former, to: copy), .follow)))
    files.items["a.mp3"] = nil
    #expect(carryOut(.moved(id, from: former, to: copy), .follow) == .done)
  }

  /// Seed 179 of the simulator: the move was left in every cleanup.
  @Test("A download follows its file although another download's file in its former place has reused its inode")
  func movedBesideReusedInode() throws {
    let id = try #require(DownloadID("d"))
    let former = try #require(found().published(sha256: nil))
    var moved = former
    (moved.path, moved.inode) = (try LibraryPath(validating: "b.mp3"), 6)
    files.items["b.mp3"] = .file(bytes: [1, 2, 3], inode: 6, modified: 1)
    files.items["a.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 2)
    #expect(carryOut(.moved(id, from: former, to: moved), .follow) == .done)
    // Its own file is back.
    files.items["a.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 1)
    #expect(isLeft(carryOut(.moved(id, from: former, to: moved), .follow)))
  }

  @Test("A download is removed only if its disk is mounted, and neither its file nor a link is there")
  func missing() throws {
    let id = try #require(DownloadID("d"))
    let file = try #require(found().published(sha256: nil))
    files.isMounted = false
    #expect(isLeft(carryOut(.missing(id, file), .forget)))
    files.isMounted = true
    #expect(carryOut(.missing(id, file), .forget) == .done)
    for item in [MemoryFiles.Item.link, .behindLink, .unreadable] {
      files.items["a.mp3"] = item
      #expect(isLeft(carryOut(.missing(id, file), .forget)))
    }
    // Its own file, longer by now.
    files.items["a.mp3"] = .file(bytes: [1, 2, 3, 4], inode: 5, modified: 2)
    #expect(isLeft(carryOut(.missing(id, file), .forget)))
    files.items["a.mp3"] = .file(bytes: [1, 2, 3, 4], inode: 6, modified: 2)
    #expect(carryOut(.missing(id, file), .forget) == .done)
  }

  /// Seed 100092 of the simulator: the row stayed as long as the other download did.
  @Test("A download is removed if its inode is that of another's file in its place, and no other file is there by now")
  func missingBesideAnother() throws {
    let id = try #require(DownloadID("d"))
    var file = try #require(found().published(sha256: nil))
    for length in [2, 3] as [Int64] {
      (file.length, file.modifiedNanoseconds) = (length, 9)
      files.items["a.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 1)
      #expect(carryOut(.missing(id, file, instead: found()), .forget) == .done)
      #expect(isLeft(carryOut(.missing(id, file), .forget)))
      // Its own file is back, which another program has edited.
      files.items["a.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 2)
      #expect(isLeft(carryOut(.missing(id, file, instead: found()), .forget)))
    }
  }

  @Test("A file that the survey judged by its time is left if it was written to since")
  func edited() throws {
    let id = try #require(DownloadID("d"))
    let file = try #require(found().published(sha256: nil))
    files.items["a.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 1)
    #expect(carryOut(.corrupt(id, file, found: found()), .redownload) == .done)
    files.items["a.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 2)
    #expect(isLeft(carryOut(.corrupt(id, file, found: found()), .redownload)))
  }

  /// Seed 55 of the simulator: the row stayed where the file was not, was forgotten, and the file belonged to nothing
  /// when the link was gone.
  @Test("A file that an engine may have moved behind what is a link by now is looked for there")
  func movedBehindLink() throws {
    let id = try #require(DownloadID("d"))
    let file = try #require(found().published(sha256: nil))
    let path = try LibraryPath(validating: "b.mp3")
    var step = CleanupStep(finding: .misnamed(id, file, to: path), decision: .rename, because: "a test wants it")
    files.items["b.mp3"] = .behindLink
    for (mayHaveBegun, outcome) in [
      (true, CleanupStep.Outcome.moved(madeFolders: [])), (false, .left(CleanupStep.fileHasGone)),
    ] {
      step.move = CleanupStep.Move(mayHaveBegun: mayHaveBegun)
      #expect(files.carryOut(step, at: now) == outcome)
    }
    step.move = CleanupStep.Move(mayHaveBegun: true)
    files.items["b.mp3"] = nil
    #expect(files.carryOut(step, at: now) == .left(CleanupStep.fileHasGone))
  }

  /// Seed 910141 of the simulator: a crash came between move and row, and a link hid the former name at the next start.
  /// The row stayed there, took another file for an edit of its own when the link was gone, and its own belonged to
  /// nothing.
  @Test("A file that an engine may have moved is found at its new name, although a link hides the former one")
  func formerNameHidden() throws {
    let id = try #require(DownloadID("d"))
    let file = try #require(found().published(sha256: nil))
    let path = try LibraryPath(validating: "b.mp3")
    var step = CleanupStep(finding: .misnamed(id, file, to: path), decision: .rename, because: "a test wants it")
    files.items["a.mp3"] = .behindLink
    step.move = CleanupStep.Move(mayHaveBegun: true)
    #expect(isLeft(files.carryOut(step, at: now)))
    files.items["b.mp3"] = .file(bytes: [9], inode: 6, modified: 1)
    #expect(isLeft(files.carryOut(step, at: now)))
    files.items["b.mp3"] = .file(bytes: [1, 2, 3], inode: 5, modified: 1)
    #expect(files.carryOut(step, at: now) == .moved(madeFolders: []))
    step.move = CleanupStep.Move(mayHaveBegun: false)
    #expect(isLeft(files.carryOut(step, at: now)))
  }

  @Test("A stray among the partial files is quarantined once, and a missing one is left")
  func stray() {
    files.strays["x.tmp"] = 3
    let stray = FoundFile(place: EntryPath(bytes: Array("x.tmp".utf8)), length: 3, inode: 1)
    #expect(carryOut(.strayPartial(stray), .quarantine) == .done)
    #expect(isLeft(carryOut(.strayPartial(stray), .quarantine)))
  }
}
