import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("The total size of the files")
struct UsageTests {
  @Test("is counted anew where its sum is another one than that of the rows")
  func recount() throws {
    let database = try LibraryDatabase.inMemory()
    let file = try Sample.file()
    try database.write { try $0.downloads.insert(try Sample.download(state: .completed(file))) }
    #expect(try database.write { try $0.downloads.recountBytes() } == false)
    for damage in ["bytes = 7", "complete = complete + 1", "bytes = -1, complete = -1"] {
      try database.damage("UPDATE usage SET \(damage)")
      #expect(try database.write { try $0.downloads.recountBytes() })
      // It counts as far as files may be long.
      let bytes = min(file.length, Settings.Limits.maxFileBytes.upperBound)
      #expect(try database.write { try $0.downloads.storedBytes() } == bytes)
      #expect(try database.write { try $0.downloads.completedBytes() } == bytes)
    }
  }

  @Test("A longer length than any file has is read as the longest")
  func longest() throws {
    let database = try LibraryDatabase.inMemory()
    let download = try Sample.download()
    try database.write { try $0.downloads.insert(download) }
    try database.damage("UPDATE downloads SET expected_length = \(Int64.max), length = \(Int64.max)")
    #expect(try database.write { try $0.downloads.find(download.id) }?.length == 1 << 53)
  }
}
