import Foundation
import PodfluxCore
import TestSupport
import Testing

@testable import FileStore

/// A disk that says of `show` that it is there where it is `Show`: a row with the wrong one would miss its file, and a
/// cleanup would take the file for an orphan.
@Suite("On a disk that ignores case")
struct CaseTests {
  /// A library on exFAT; nil, with the reason printed, where none can be mounted.
  private final class Scene {
    private let disk: PrivateDisk
    let library: Library
    var files: PublishedFiles { PublishedFiles(library) }

    init?() throws {
      if let reason = PrivateDisk.unavailability(of: .exfat) {
        print("skipped: \(reason)")
        return nil
      }
      disk = try PrivateDisk(.exfat)
      library = try Library.open(at: disk.visiblePath + "/library")
    }

    func makePartial(_ name: String) throws {
      try Partials(library).open(partial(name)).append(name)
    }

    func publish(_ name: String, _ place: String, sparingTwins: Bool = true) throws {
      try makePartial(name)
      _ = try Publisher(library).publish(partial(name), to: path(place), sparingTwins: sparingTwins)
    }

    func listed() throws -> [String] {
      let listing = try LibraryListing(library)
      var places: [String] = []
      while let entry = try listing.next() { places.append(entry.path.text) }
      return places
    }
  }

  @Test("Its library knows that, and one on this machine's disk knows the contrary")
  func told() throws {
    #expect(try !TemporaryLibrary().library.ignoresCase)
    #expect(try !TemporaryLibrary(traits: .least).library.ignoresCase)
    guard let scene = try Scene() else { return }
    #expect(scene.library.ignoresCase)
  }

  @Test("Folders of a new path are spelled as those that are there", arguments: [true, false])
  func spelled(sparesTwins: Bool) throws {
    guard let scene = try Scene() else { return }
    try scene.publish("a", "Show/Season 1/a.mp3", sparingTwins: sparesTwins)
    for name in ["show/season 1", "SHOW/SEASON 1", "Show/Season 1"] {
      #expect(try scene.files.spelled(path(name + "/b.mp3")) == path("Show/Season 1/b.mp3"))
    }
    // Another thread has made the folder after the path was chosen.
    #expect(throws: FileError.exists(path: "Show")) {
      try scene.publish("b", "show/b.mp3", sparingTwins: sparesTwins)
    }
    #expect(throws: FileError.exists(path: "Show/Season 1")) {
      try scene.publish("b", "Show/season 1/b.mp3", sparingTwins: sparesTwins)
    }
    try scene.publish("b", "Show/Season 1/b.mp3", sparingTwins: sparesTwins)
    #expect(try scene.listed() == ["Show/Season 1/a.mp3", "Show/Season 1/b.mp3"])
  }

  @Test("A file's name that differs in case is taken, by the file as it is spelled")
  func occupied() throws {
    guard let scene = try Scene() else { return }
    try scene.publish("a", "Show/\u{C4}rger.mp3")
    let other = try path("Show/\u{E4}RGER.mp3")
    #expect(try scene.files.isTaken(other))
    for isPortable in [true, false] {
      #expect(try scene.files.occupant(of: other, portably: isPortable) == EntryPath(path("Show/\u{C4}rger.mp3")))
    }
    #expect(throws: FileError.exists(path: "Show/\u{C4}rger.mp3")) { try scene.publish("b", other.description) }
    #expect(try scene.listed() == ["Show/\u{C4}rger.mp3"])
  }

  @Test("A file is moved only to a path that is spelled as the folders are", arguments: [true, false])
  func moved(sparesTwins: Bool) throws {
    guard let scene = try Scene() else { return }
    try scene.publish("a", "Show/a.mp3")
    try scene.publish("b", "Other/b.mp3")
    let former = try EntryPath(path("Other/b.mp3"))
    let recorded = try #require(try scene.files.identity(of: former))
    func move(to place: String) throws -> PublishedFiles.Moving {
      try scene.files.move(
        former, recorded: recorded, to: path(place), sparingTwins: sparesTwins, mayHaveBegun: false)
    }
    #expect(try move(to: "show/b.mp3") == .taken)
    #expect(try move(to: "Show/A.mp3") == .taken)
    #expect(try move(to: "Show/b.mp3") == .moved(madeFolders: []))
    #expect(try scene.listed() == ["Other", "Show/a.mp3", "Show/b.mp3"])
  }

  @Test("A file comes back from quarantine to a path that is spelled as the folders are")
  func restored() throws {
    guard let scene = try Scene() else { return }
    try scene.publish("a", "Show/a.mp3")
    try scene.publish("b", "Show/b.mp3")
    let place = try EntryPath(path("Show/b.mp3"))
    let identity = try #require(try scene.files.identity(of: place))
    let quarantine = Quarantine(scene.library)
    let taking = try quarantine.take(
      place, recorded: identity, because: "it is a test", download: nil, at: .init(milliseconds: 0))
    #expect(taking == .moved(name: "b-1.mp3"))
    guard case .restored(let found, _) = try quarantine.restore("b-1.mp3", to: EntryPath(path("SHOW/b.mp3"))) else {
      Issue.record("it was not restored")
      return
    }
    #expect(found == place)
    #expect(try quarantine.restored().map(\.place) == [place])
  }

  @Test("A name is found as it is asked for where a folder has it in several spellings")
  func exactFirst() throws {
    let library = try TemporaryLibrary()
    for name in ["SHOW", "Show", "show"] { try library.write("", to: name + "/a") }
    let index = FoldedFolders(ignoresCase: true)
    for name in ["Show", "show", "SHOW"] as [EntryName] {
      #expect(try index.twin(of: name, in: library.library.top) == name)
    }
    #expect(try index.twin(of: "sHOW", in: library.library.top) == "SHOW")
    #expect(try index.twin(of: "other", in: library.library.top) == nil)
  }
}
