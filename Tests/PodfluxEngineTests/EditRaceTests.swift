import EngineRuntime
import FileStore
import Flux
import Foundation
import Logging
import PodfluxCore
import TestSupport
import Testing

@testable import PodfluxEngine

/// A tagger writes to a file during a cleanup or a verification: the simulator's seed 230.
@Suite("Files that a program edits between two reads")
struct EditRaceTests {
  private let folder: TemporaryFolder
  private let files: LibraryFiles

  init() throws {
    folder = try TemporaryFolder()
    files = LibraryFiles(try Library.open(at: folder.path), tagger: nil, logger: Logger(label: "test"))
    // Longer than one read.
    try Self.contents(tagged: "one").write(to: url)
    // Sets its time back, so that any later write changes it, on a coarse clock too.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: url.path)
  }

  private var url: URL { URL(filePath: folder.path + "/a.mp3") }

  private static func contents(tagged tag: String) -> Data {
    Data("ID3".utf8) + Data([4, 0, 0, 0, 0, 1, 0]) + Data(tag.utf8) + Data(repeating: 7, count: 2 << 20)
  }

  /// The file as a survey finds it.
  private func found() throws -> FoundFile {
    let listing = try files.listing()
    while let entry = try listing.next() {
      if case .file(let file) = entry { return file }
    }
    throw Refusal(.notFound, "no file is listed")
  }

  /// Changes the content and keeps the length.
  private func edit() throws {
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: Self.contents(tagged: "two"))
    try file.close()
  }

  @Test("do not match the survey: neither their contents nor their likeness is returned")
  func listed() throws {
    let before = try found()
    #expect(files.sha256(of: before) { _ in true } != nil)
    #expect(files.likeness(of: before) == .media)
    try edit()
    #expect(files.sha256(of: before) { _ in true } == nil)
    #expect(files.likeness(of: before) == nil)
    // The next survey finds another time with the other content.
    let after = try found()
    #expect(after.withoutTime == before.withoutTime && after != before)
    #expect(files.sha256(of: after) { _ in true } != nil)
  }

  @Test("have no consistent content if they are written to while a cleanup reads them")
  func readByCleanup() throws {
    var failure: (any Error)?
    let hash = files.sha256(of: try found()) { _ in
      do { try edit() } catch { failure = error }
      return true
    }
    #expect(hash == nil && failure == nil)
  }

  @Test("do not count as damaged if they are written to during a verification")
  func readByVerification() throws {
    let before = try found()
    let hash = try #require(files.sha256(of: before) { _ in true })
    let file = try #require(before.published(sha256: hash))
    #expect(files.verify(file, finished: nil) { false } == .intact)
    var failure: (any Error)?
    let verdict = files.verify(file, finished: nil) {
      do { try edit() } catch { failure = error }
      return false
    }
    #expect(failure == nil)
    guard case .unreadable? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    guard case .modified? = files.verify(file, finished: nil, isCancelled: { false }) else {
      Issue.record("an edit is found by the next reading")
      return
    }
  }

  @Test("are left by a step that had found them damaged, and checked again by the next cleanup")
  func condemned() throws {
    let before = try found()
    let file = try #require(before.published(sha256: String(repeating: "0", count: 64)))
    let download = try #require(DownloadID("d"))
    let step = CleanupStep(
      finding: .corrupt(download, file, found: before), decision: .redownload, because: "its SHA-256 differs")
    #expect(files.carryOut(step, at: Timestamp(milliseconds: 0)) == .done)
    try edit()
    guard case .left = files.carryOut(step, at: Timestamp(milliseconds: 0)) else {
      Issue.record("an edited file is condemned")
      return
    }
  }
}
