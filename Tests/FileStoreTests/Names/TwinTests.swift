import Dispatch
import Foundation
import Glibc
import PodfluxCore
import Synchronization
import Testing

@testable import FileStore

@Suite("Names that differ in case only")
struct TwinTests {
  private let library: TemporaryLibrary
  private let files: PublishedFiles
  private let publisher: Publisher
  private var index: FoldedFolders { library.library.foldedFolders }

  init() throws {
    library = try TemporaryLibrary()
    files = PublishedFiles(library.library)
    publisher = Publisher(library.library)
  }

  private func publish(_ name: String, _ place: String) throws {
    try library.makePartial(name, name)
    _ = try publisher.publish(partial(name), to: path(place), sparingTwins: true)
  }

  @Test("are taken, by any program's file; the path itself too")
  func taken() throws {
    try library.write("a person's", to: "Show/Episode \u{C9}.mp3")
    for name in ["Show/Episode \u{C9}.mp3", "Show/EPISODE e\u{301}.MP3"] {
      #expect(try files.isTaken(path(name)), "\(name)")
    }
    #expect(try !files.isTaken(path("Show/Episode E.mp3")))
    #expect(try !files.isTaken(path("Other/Episode \u{C9}.mp3")))
    #expect(throws: FileError.exists(path: "Show/Episode \u{C9}.mp3")) { try publish("a", "Show/episode \u{E9}.mp3") }
    #expect(library.isThere(".podflux/partial/a.part"))
    // A publication without `sparingTwins` gets the name.
    _ = try publisher.publish(partial("a"), to: path("Show/episode \u{E9}.mp3"))
  }

  @Test("of folders name one folder: the spelling on the disk stays")
  func folders() throws {
    try publish("a", "Show/Season 1/a.mp3")
    #expect(try files.spelled(path("SHOW/season 1/b.mp3")) == path("Show/Season 1/b.mp3"))
    #expect(try files.spelled(path("SHOW/season 2/b.mp3")) == path("Show/season 2/b.mp3"))
    #expect(try files.spelled(path("show")) == path("show"))
    #expect(try files.isTaken(path("show")))
    #expect(throws: FileError.exists(path: "Show")) { try publish("b", "SHOW/b.mp3") }
    #expect(!library.isThere("SHOW"))
    // A user may have created both; then each is distinct.
    try library.write("", to: "SHOW/x")
    #expect(try files.spelled(path("SHOW/b.mp3")) == path("SHOW/b.mp3"))
    #expect(try files.spelled(path("Show/b.mp3")) == path("Show/b.mp3"))
  }

  @Test("of other entries block a folder")
  func notAFolder() throws {
    try library.write("", to: "SHOW")
    try library.link("LINK", to: "nowhere")
    for (name, twin) in [("show", "SHOW"), ("link", "LINK")] {
      #expect(try files.spelled(path("\(name)/a.mp3")) == path("\(name)/a.mp3"))
      #expect(throws: FileError.notAFolder(path: twin)) { try publish("a", "\(name)/a.mp3") }
    }
  }

  @Test("do not both appear in concurrent publications", arguments: 1...4)
  func race(round: Int) throws {
    let spellings = ["show/a.mp3", "Show/A.mp3", "SHOW/a.MP3", "sHow/A.Mp3"]
    for number in spellings.indices { try library.makePartial("p\(number)", "p") }
    let won = Mutex(0)
    let publisher = publisher
    DispatchQueue.concurrentPerform(iterations: spellings.count) { number in
      do {
        _ = try publisher.publish(
          partial("p\(number)"), to: path(spellings[number]), sparingTwins: true)
        won.withLock { $0 += 1 }
      } catch FileError.exists {
        // The other publication was first.
      } catch {
        Issue.record(error)
      }
    }
    #expect(won.withLock { $0 } == 1)
  }

  @Test("cost no listing for each published file, and one after another program changes the folder")
  func listings() throws {
    for number in 0..<50 { try publish("p\(number)", "Show/\(number).mp3") }
    // The top before the folder was made, and the folder itself.
    #expect(index.listings == 2)
    #expect(index.nameCount > 50)
    try changeNoticeably("Show") { try library.write("", to: "Show/foreign.mp3") }
    #expect(try files.isTaken(path("Show/FOREIGN.mp3")))
    #expect(index.listings == 3)
    try FileManager.default.removeItem(at: library.url("Show/7.mp3"))
    #expect(try !files.isTaken(path("Show/7.mp3")))
    #expect(index.listings == 4)
    try publish("again", "Show/7.mp3")
    #expect(index.listings == 4)
  }

  /// Changes a folder until its time shows the change: a file system's clock ticks in milliseconds.
  private func changeNoticeably(_ folder: String, _ change: () throws -> Void) throws {
    func lastChange() throws -> timespec {
      var status = stat()
      try #require(stat(library.url(folder).path, &status) == 0)
      return status.st_ctim
    }
    let former = try lastChange()
    for _ in 0..<1_000_000 {
      try change()
      let present = try lastChange()
      if (present.tv_sec, present.tv_nsec) != (former.tv_sec, former.tv_nsec) { return }
      try FileManager.default.removeItem(at: library.url(folder + "/foreign.mp3"))
    }
    Issue.record("the clock of the file system stands still")
  }

  @Test("are searched in many folders without caching all of them")
  func bounded() throws {
    for number in 0..<(FoldedFolders.maximumFolders + 20) { try publish("p", "\(number)/a.mp3") }
    // Each folder has one name, and the top has all of theirs.
    #expect(index.nameCount <= 2 * FoldedFolders.maximumFolders + 20 + 1)
    #expect(try files.isTaken(path("0/A.mp3")))
  }
}
