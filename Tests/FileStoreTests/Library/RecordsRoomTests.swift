import Foundation
import Testing

@testable import FileStore

@Suite("The room that is set aside for the database")
struct RecordsRoomTests {
  private let temporary: TemporaryLibrary
  private var library: Library { temporary.library }
  private var path: String { library.statePath + "/room" }

  init() throws {
    temporary = try TemporaryLibrary()
  }

  @Test("is set aside once, takes room on the disk, and can be given up")
  func setAside() throws {
    try library.setRecordsRoomAside()
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(Int64(status.st_size) == Library.recordsRoomBytes)
    #expect(Int64(status.st_blocks) * 512 >= Library.recordsRoomBytes)
    #expect(status.st_mode & 0o777 == 0o600)
    try library.setRecordsRoomAside()
    var later = stat()
    #expect(lstat(path, &later) == 0)
    #expect(later.st_ino == status.st_ino)
    #expect(try !library.giveUpRecordsRoomIfNeeded())
    #expect(try library.giveUpRecordsRoom())
    #expect(try !library.giveUpRecordsRoom())
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("is made whole where a crash has left a part of it")
  func part() throws {
    try Data(count: 4_096).write(to: URL(filePath: path))
    try library.setRecordsRoomAside()
    #expect(try Data(contentsOf: URL(filePath: path)).count == Int(Library.recordsRoomBytes))
  }

  @Test("is made again where a copy has a hole in its place")
  func hole() throws {
    try Data().write(to: URL(filePath: path))
    #expect(truncate(path, off_t(Library.recordsRoomBytes)) == 0)
    try library.setRecordsRoomAside()
    var status = stat()
    #expect(lstat(path, &status) == 0 && Int64(status.st_blocks) * 512 >= Library.recordsRoomBytes)
  }

  @Test("follows no link")
  func link() throws {
    let other = temporary.folder.path + "/other"
    try Data("text".utf8).write(to: URL(filePath: other))
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
    #expect(throws: FileError.symbolicLink(path: ".podflux/room")) { try library.setRecordsRoomAside() }
    #expect(try Data(contentsOf: URL(filePath: other)) == Data("text".utf8))
  }
}
