import Flux
import Foundation
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

/// Where the disk gives no shared memory, one connection has the database for itself.
@Suite("A database that its engine has for itself")
struct ExclusiveDatabaseTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("Surveys and observers read over its one connection, which they do not close, and turns go on")
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

  @Test("It shares no memory over a file, and what it leaves when it is killed is found by the next one")
  func isFoundAgain() throws {
    let database = try LibraryDatabase.openExclusively(at: folder.databasePath)
    try database.write { try $0.downloads.insert(try Sample.download("a", position: 1)) }
    #expect(try folder.contents().keys.sorted() == ["podflux.sqlite", "podflux.sqlite-wal"])
    // As after a kill: the files as they are now, without the one who has them open.
    let copy = try TemporaryFolder()
    for (name, data) in try folder.contents() {
      try data.write(to: URL(fileURLWithPath: copy.databasePath).deletingLastPathComponent().appending(path: name))
    }
    try database.close()
    for open in [LibraryDatabase.openExclusively(at:), LibraryDatabase.open(at:)] {
      let again = try open(copy.databasePath)
      #expect(try again.read { try $0.download(#require(DownloadID("a"))) } != nil)
      try again.close()
    }
  }
}
