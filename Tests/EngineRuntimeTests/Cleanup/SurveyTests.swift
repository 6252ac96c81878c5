import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

@Suite("A survey compares what changes while it looks")
struct SurveyTests {
  private let files = MemoryFiles()
  private let id: DownloadID

  init() throws {
    id = try #require(DownloadID("d"))
    files.partials = [id: 60_000]
  }

  /// What a survey has found; `reading` is called when it reads the download's row, of which there is none.
  private func survey(reading: @escaping () -> Void = {}) -> (steps: [CleanupStep], partialBytes: Int64?) {
    let survey = Survey(
      CleanupRun(key: 1, options: CleanupOptions(), cause: .start, askedAt: Timestamp(milliseconds: 0)),
      quarantineDays: 0, bootID: "boot", files: files, rows: NoRows(reading: reading),
      now: { Timestamp(milliseconds: 0) }, isCancelled: { false }, report: { _ in })
    while true {
      switch survey.advance() {
      case .ended(let steps, .complete(let usage, remark: nil))?: return (steps, usage.partial)
      case .some: return ([], nil)
      case nil: continue
      }
    }
  }

  @Test("A partial file without a row is needless")
  func needless() {
    let found = survey()
    #expect(found.steps.map(\.finding.kind) == [.orphanPartial])
    #expect(found.partialBytes == 60_000)
  }

  /// It was told as deleted, with the bytes that were freed.
  @Test("A partial file that gets its name between its listing and the look at its row is none")
  func publishedMeanwhile() {
    let found = survey { [files, id] in files.partials[id] = nil }
    #expect(found.steps.isEmpty)
    #expect(found.partialBytes == 0)
  }
}

/// The rows of an empty library.
private struct NoRows: SurveyRows {
  /// Called when a download's row is read.
  let reading: () -> Void

  var firstExpected: Int { 0 }

  func expectedFiles(after cursor: Int, limit: Int) -> (files: [ExpectedFile], next: Int?) { ([], nil) }

  func download(_ id: DownloadID) -> Download? {
    reading()
    return nil
  }

  func nameable(_ id: DownloadID, of feed: FeedID?) -> NameableDownload? { nil }
  func episodeIndexes(of feed: Feed.Key) -> [EpisodeID: Int64] { [:] }
  func feedNames(after key: Feed.Key, limit: Int) -> [FeedName] { [] }
  func adoptableEpisodes(of feed: Feed.Key, after episode: EpisodeID?, limit: Int) -> [AdoptableEpisode] { [] }
  func adoption(of episode: EpisodeID) throws -> EpisodeAdoption { throw MemoryFiles.failure }
  func downloadsWithBytes(after id: DownloadID?, limit: Int) -> [Download] { [] }
  func formerFiles(like file: FoundFile) -> [FormerFile] { [] }
  func failedDownload(wanting place: EntryPath) -> DownloadID? { nil }
  func canAdopt(_ owner: DownloadID) -> Bool { false }
  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?, isAt: (LibraryPath) -> Bool) -> Bool { false }
  func name(of file: FoundFile, isAt: (LibraryPath) -> Bool) -> FileName { .free }
  func lostFile(ofLength length: Int64) -> DownloadID? { nil }
  func hasMade(_ folder: EntryPath) -> Bool { false }
  func isSidecar(_ file: FoundFile) -> Bool { false }
}
