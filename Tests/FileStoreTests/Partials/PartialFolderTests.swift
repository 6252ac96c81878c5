import Dispatch
import Foundation
import PodfluxCore
import Testing

@testable import FileStore

/// A person deleted `.podflux/partial` to make room: the engine kept the deleted folder open, and every download failed
/// until it was started again.
@Suite("Where a program has deleted the folder of partial files")
struct PartialFolderTests {
  private let library: TemporaryLibrary
  private let partials: Partials

  init() throws {
    library = try TemporaryLibrary()
    partials = Partials(library.library)
    try library.makePartial("lost", "text")
    try FileManager.default.removeItem(at: library.url(".podflux/partial"))
  }

  @Test("The next new file makes it anew, and is published from there")
  func madeAnew() throws {
    #expect(throws: FileError.notFound(path: ".podflux/partial/lost.part")) {
      try partials.open(partial("lost"), mode: .existing)
    }
    #expect(!library.isThere(".podflux/partial"))
    let file = try partials.open(partial("a"))
    try file.append("text")
    try file.synchronize()
    #expect(try library.contents(".podflux/partial/a.part") == "text")
    var status = stat()
    #expect(stat(library.url(".podflux/partial").path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(try partials.identity(of: partial("lost")) == nil)
    _ = try Publisher(library.library).publish(partial("a"), to: path("a.mp3"))
    #expect(try library.contents("a.mp3") == "text")
  }

  @Test("A listing finds nothing")
  func listed() throws {
    #expect(try partials.list().next() == nil)
  }

  @Test("Threads that find it gone at the same time make one, and nothing of it stays open")
  func concurrent() throws {
    let partials = partials
    DispatchQueue.concurrentPerform(iterations: 16) { number in
      #expect(throws: Never.self) { try partials.open(partial("p\(number)")).append("text") }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: library.url(".podflux/partial").path)
    #expect(names.count == 16)
    let lock = try LibraryLock(library.library)
    #expect(try library.library.close(with: lock, upToMilliseconds: 0) == 0)
  }

  @Test("Nothing is made where the engine's own folder is gone too")
  func allGone() throws {
    try FileManager.default.removeItem(at: library.url(".podflux"))
    #expect(throws: FileError.self) { try partials.open(partial("a")) }
    #expect(!library.isThere(".podflux"))
  }
}
