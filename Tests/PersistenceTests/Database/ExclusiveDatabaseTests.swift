import Flux
import Foundation
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

/// Without shared memory on the disk, one connection opens the database exclusively.
@Suite("An exclusive database")
struct ExclusiveDatabaseTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("Surveys and observers share its one connection without closing it, and turns continue")
  func sharesItsConnection() throws {
    let database = try LibraryDatabase.openExclusively(at: folder.databasePath)
    try database.write { try $0.downloads.insert(try Sample.download("a", position: 1)) }
    let survey = try database.reader()
    #expect(try survey.read { try $0.download(#require(DownloadID("a"))) } != nil)
    let observer = try database.momentReader()
    #expect(observer.holdsUpTurns)
    let position = try observer.hold()
    #expect(try survey.read { try $0.position() } == position)
    try observer.release()
    try survey.close()
    try observer.close()
    try database.write { try $0.downloads.insert(try Sample.download("b", position: 2)) }
    #expect(try database.read { try $0.download(#require(DownloadID("b"))) } != nil)
    try database.close()
    #expect(try folder.contents().keys.sorted() == ["podflux.sqlite"])
  }

  @Test("It creates no shared memory file, and the next engine recovers it after a kill")
  func isFoundAgain() throws {
    let database = try LibraryDatabase.openExclusively(at: folder.databasePath)
    try database.write { try $0.downloads.insert(try Sample.download("a", position: 1)) }
    #expect(try folder.contents().keys.sorted() == ["podflux.sqlite", "podflux.sqlite-wal"])
    // As after a kill: a copy of the current files, without the process that has them open.
    let copy = try TemporaryFolder()
    for (name, data) in try folder.contents() {
      try data.write(to: URL(fileURLWithPath: copy.databasePath).deletingLastPathComponent().appending(path: name))
    }
    try database.close()
    for open in [LibraryDatabase.openExclusively(at:), { try LibraryDatabase.open(at: $0) }] {
      let again = try open(copy.databasePath)
      #expect(try again.read { try $0.download(#require(DownloadID("a"))) } != nil)
      try again.close()
    }
  }
}
