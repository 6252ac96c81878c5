import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

/// The person who reads the error must find what it names, and its permissions must be the ones to blame.
@Suite("Where permissions forbid to make, remove or rename an entry")
struct DeniedTests {
  private let library: TemporaryLibrary

  init() throws {
    library = try TemporaryLibrary()
    try library.write("text", to: "Q/c.mp3")
    try library.write("text", to: "R/c.mp3")
    try library.makePartial("a", "text")
  }

  /// Lets every user write everywhere in the library, but for one folder.
  private func close(_ closed: String?) throws {
    for folder in ["", "Q", "R", ".podflux", ".podflux/partial"] {
      try #require(chmod(library.url(folder).path, folder == closed ? 0o555 : 0o777) == 0)
    }
  }

  /// Runs the body as a user for whom permissions count (root may do everything) while nothing may be written in the
  /// folder. Only this thread becomes that user (setfsuid(2)).
  private func closing(_ folder: String, _ body: () throws -> Void) throws {
    try close(folder)
    defer { #expect(throws: Never.self) { try close(nil) } }
    guard geteuid() == 0 else { return try body() }
    typealias SetUser = @convention(c) (uid_t) -> Int32
    let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
    _ = setUser(65534)
    defer { _ = setUser(0) }
    try body()
  }

  @Test("The error names the folder: nothing else is to blame, and the entry need not be there")
  func folder() throws {
    let publisher = Publisher(library.library)
    let files = PublishedFiles(library.library)
    let denied = FileError.folderDenied(path: "Q")
    try closing("Q") {
      for move in [Move.renaming, .linking, .placing] {
        #expect(throws: denied) {
          try Publisher(library.library, move: move).publish(partial("a"), to: path("Q/d.mp3"))
        }
      }
      #expect(throws: denied) { try publisher.publish(partial("a"), to: path("Q/more/d.mp3")) }
      #expect(throws: denied) { try files.delete(path("Q/c.mp3")) }
      #expect(throws: denied) { try library.library.top.openFolder("Q").replaceFile("x", by: "x.new", with: [1]) }
      let place = EntryPath(try path("Q/c.mp3"))
      let recorded = try #require(try files.identity(of: place))
      #expect(throws: denied) {
        try files.move(place, recorded: recorded, to: path("R/d.mp3"), sparingTwins: false, mayHaveBegun: false)
      }
    }
    #expect(denied.description.contains("\"Q\""))
    #expect(try library.contents("Q/c.mp3") == "text")
  }

  @Test("The top of the library is named by its path")
  func top() throws {
    let denied = FileError.folderDenied(path: try #require(Library.realPath(library.library.path)))
    try closing("") {
      #expect(throws: denied) { try Publisher(library.library).publish(partial("a"), to: path("New/d.mp3")) }
      #expect(throws: denied) { try Publisher(library.library).publish(partial("a"), to: path("d.mp3")) }
      #expect(throws: denied) { try Library.makeFolders(library.library.path + "/new/library") }
    }
  }

  @Test("A file whose own permissions forbid it is named itself")
  func file() throws {
    try #require(chmod(library.url(".podflux/partial/a.part").path, 0o400) == 0)
    try closing(".podflux/partial") {
      let partials = Partials(library.library)
      #expect(throws: FileError.denied(path: ".podflux/partial/a.part")) { try partials.open(partial("a")) }
      #expect(throws: FileError.folderDenied(path: ".podflux/partial")) { try partials.open(partial("b")) }
    }
  }
}
