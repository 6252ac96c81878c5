import Digests
import EngineRuntime
import Flux
import PodfluxCore
import Testing

@Suite("Verifications, deletions and the daily upkeep")
struct FileServicesTests {
  private static let media = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 7, count: 90)
  private let files = MemoryFiles()

  private func published(sha256: String? = nil) throws -> PublishedFile {
    PublishedFile(
      path: try LibraryPath(validating: "a.mp3"), length: 100, inode: 5, sha256: sha256, modifiedNanoseconds: 1)
  }

  private func place(_ bytes: [UInt8] = media, inode: UInt64 = 5, modified: Int64 = 1) {
    files.items["a.mp3"] = .file(bytes: bytes, inode: inode, modified: modified)
  }

  // MARK: Verifying

  @Test("A file that matches its record is intact, read in pieces of any size")
  func intact() throws {
    place()
    let file = try published(sha256: RunningDigest.sha256(of: Self.media))
    var verification = FileVerification(of: file, finished: nil, in: files)
    var steps = 0
    var verdict: Verification.Verdict?
    while verdict == nil {
      verdict = verification.advance(readingAtMost: 30)
      steps += 1
    }
    #expect(verdict == .intact)
    #expect(steps == 6, "it is opened, read in four pieces, and looked at once more")
  }

  @Test("A file with another content is damaged, and its remains are the file itself")
  func damaged() throws {
    place([1] + Self.media.dropFirst())
    let file = try published(sha256: RunningDigest.sha256(of: Self.media))
    guard case .damaged(_, remains: file?)? = files.verify(file, finished: nil, isCancelled: { false }) else {
      Issue.record("it is not damaged")
      return
    }
  }

  /// Seed 950016 of the simulator: a row followed a hard link that a person had made, while its own name was behind a
  /// link.
  @Test("A name behind a link is none of a file that has only one, and one that cannot be looked at may be one")
  func names() throws {
    let path = try LibraryPath(validating: "a.mp3")
    let found = FoundFile(place: EntryPath(bytes: Array("b.mp3".utf8)), length: 100, inode: 5, modifiedNanoseconds: 1)
    place()
    #expect(files.isAlso(found, at: path))
    place(inode: 6)
    #expect(!files.isAlso(found, at: path))
    files.items["b.mp3"] = .file(bytes: Self.media, inode: 5, modified: 1)
    for item in [MemoryFiles.Item.link, .behindLink] {
      files.items["a.mp3"] = item
      files.linked = []
      #expect(!files.isAlso(found, at: path))
      files.linked = ["b.mp3"]
      #expect(files.isAlso(found, at: path))
    }
    files.items["a.mp3"] = .unreadable
    #expect(files.isAlso(found, at: path))
  }

  @Test("A link at a file's path is no file; a file behind a link or in an unreadable folder is unreadable")
  func links() throws {
    files.items["a.mp3"] = .link
    let file = try published()
    guard case .damaged(_, remains: nil)? = files.verify(file, finished: nil, isCancelled: { false }) else {
      Issue.record("a link is taken for the file")
      return
    }
    for item in [MemoryFiles.Item.behindLink, .unreadable] {
      files.items["a.mp3"] = item
      #expect(
        files.verify(file, finished: nil) { false } == .unreadable(MemoryFiles.failure.description))
    }
  }

  @Test("A write between two pieces invalidates the read, not the file")
  func editedMeanwhile() throws {
    place()
    let file = try published(sha256: RunningDigest.sha256(of: Self.media))
    files.willRead = { [files] in
      files.items["a.mp3"] = .file(bytes: [1] + Self.media.dropFirst(), inode: 5, modified: 2)
    }
    guard case .unreadable? = files.verify(file, finished: nil, isCancelled: { false }) else {
      Issue.record("an edit is taken for damage")
      return
    }
  }

  // MARK: Deleting

  @Test("A deletion removes the partial file and the published one, if unchanged")
  func deletion() throws {
    let id = try #require(DownloadID("d"))
    place(inode: 6)
    try files.delete(Deletion(download: id, file: try published()), at: .init(milliseconds: 0))
    #expect(files.items["a.mp3"] != nil && files.deletedPartials == [id])
    place()
    try files.delete(Deletion(download: id, file: try published()), at: .init(milliseconds: 0))
    #expect(files.items["a.mp3"] == nil)
    // A second deletion changes nothing.
    try files.delete(Deletion(download: id, file: try published()), at: .init(milliseconds: 0))
    #expect(files.quarantined.isEmpty)
  }

  @Test("What a rule deletes stays if it was written to since the row saw it, and what a person deletes goes")
  func edited() throws {
    let id = try #require(DownloadID("d"))
    place(modified: 2)
    let deletion = Deletion(download: id, file: try published(), sparesEdits: true)
    try files.delete(deletion, at: .init(milliseconds: 0))
    #expect(files.items["a.mp3"] != nil && files.deletedPartials == [id])
    try files.delete(Deletion(download: id, file: try published()), at: .init(milliseconds: 0))
    #expect(files.items["a.mp3"] == nil)
    place()
    try files.delete(deletion, at: .init(milliseconds: 0))
    #expect(files.items["a.mp3"] == nil)
  }

  @Test("A deletion in an unreadable folder or behind a link fails and is retried")
  func deletionOutOfReach() throws {
    let id = try #require(DownloadID("d"))
    files.items["a.mp3"] = .unreadable
    #expect(throws: MemoryFiles.failure) {
      try files.delete(Deletion(download: id, file: try published()), at: .init(milliseconds: 0))
    }
    files.items["a.mp3"] = .behindLink
    #expect(throws: FileSystemFailure.self) {
      try files.delete(Deletion(download: id, file: try published()), at: .init(milliseconds: 0))
    }
    #expect(files.items["a.mp3"] != nil)
  }

  @Test("A damaged file goes to quarantine, and its partial file stays")
  func damagedFile() throws {
    let id = try #require(DownloadID("d"))
    place()
    let deletion = Deletion(download: id, file: try published(), fate: .quarantined)
    try files.delete(deletion, at: .init(milliseconds: 0))
    try files.delete(deletion, at: .init(milliseconds: 0))
    #expect(files.quarantined == ["a.mp3"] && files.deletedPartials.isEmpty)
  }

  // MARK: The daily upkeep

  @Test("Expired files in quarantine are deleted, and none if the settings say never")
  func quarantine() throws {
    let now = Timestamp(milliseconds: 100 * 86_400_000)
    _ = try files.emptyQuarantine(DailyUpkeep(quarantineDays: 0), at: now) { true }
    #expect(files.emptiedBefore == nil)
    _ = try files.emptyQuarantine(DailyUpkeep(quarantineDays: 30), at: now) { true }
    #expect(files.emptiedBefore == Timestamp(milliseconds: 70 * 86_400_000))
  }

  @Test("A folder counts as missing only if readable: unreadable paths and unmounted disks prove nothing")
  func goneFolders() throws {
    files.items["b"] = .unreadable
    let folders = try ["a", "b"].map { try LibraryPath(validating: $0) }
    #expect(try files.goneFolders(of: folders) == [folders[0]])
    files.isMounted = false
    #expect(try files.goneFolders(of: folders) == [])
  }
}
