import EngineRuntime
import FileStore
import Flux
import Foundation
import PodfluxCore
import TestSupport
import Testing

@testable import PodfluxEngine

/// A tagger writes to a file while a cleanup or a verification is at work: the simulator's seed 230.
@Suite("Files that somebody edits between two looks at them")
struct EditRaceTests {
  private let folder: TemporaryFolder
  private let files: LibraryFiles

  init() throws {
    folder = try TemporaryFolder()
    files = LibraryFiles(try Library.open(at: folder.path))
    // Longer than what is read at once.
    try Self.contents(tagged: "one").write(to: url)
    // Whoever writes to it now gives it another time, however coarse the clock is.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: url.path)
  }

  private var url: URL { URL(filePath: folder.path + "/a.mp3") }

  private static func contents(tagged tag: String) -> Data {
    Data("ID3".utf8) + Data([4, 0, 0, 0, 0, 1, 0]) + Data(tag.utf8) + Data(repeating: 7, count: 2 << 20)
  }

  /// As a listing finds the file.
  private func found() throws -> FoundFile {
    let listing = try files.listing()
    while let entry = try listing.next() {
      if case .file(let file) = entry { return file }
    }
    throw Refusal(.notFound, "no file is listed")
  }

  /// As long as it was, with another content.
  private func edit() throws {
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: Self.contents(tagged: "two"))
    try file.close()
  }

  @Test("are not those that were found: neither their contents nor what they are is told")
  func listed() throws {
    let before = try found()
    #expect(files.sha256(of: before) { _ in true } != nil)
    #expect(files.likeness(of: before) == .media)
    try edit()
    #expect(files.sha256(of: before) { _ in true } == nil)
    #expect(files.likeness(of: before) == nil)
    // The next look finds another time with the other content.
    let after = try found()
    #expect(after.withoutTime == before.withoutTime && after != before)
    #expect(files.sha256(of: after) { _ in true } != nil)
  }

  @Test("have no content of one moment when they are written to while a cleanup reads them")
  func readByCleanup() throws {
    var failure: (any Error)?
    let hash = files.sha256(of: try found()) { _ in
      do { try edit() } catch { failure = error }
      return true
    }
    #expect(hash == nil && failure == nil)
  }

  @Test("are not damaged because they are written to while they are verified")
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

  @Test("are left by a step that found them damaged before, and looked at again by the next cleanup")
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
