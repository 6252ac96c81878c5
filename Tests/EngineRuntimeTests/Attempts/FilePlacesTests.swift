import EngineRuntime
import PodfluxCore
import Testing

@Suite("Places for files")
struct FilePlacesTests {
  /// A folder whose names are taken up to a number, but for some.
  private final class Folder: FilePlaces {
    private let taken: Set<String>
    private(set) var looks = 0

    var ignoresCase = false

    /// What a folder is called since it was first asked for.
    private var spelling: (former: LibraryPath, now: LibraryPath)?

    init(takenUpTo last: Int, butFor gaps: Set<Int> = []) {
      taken = Set((0..<last).map { $0 + 1 }.filter { !gaps.contains($0) }.map { "a \($0)" })
    }

    func spell(_ path: LibraryPath, as other: LibraryPath) { spelling = (path, other) }

    func spelled(_ path: LibraryPath) -> LibraryPath {
      if let spelling, spelling.former == path { spelling.now } else { path }
    }

    func isTaken(_ path: LibraryPath) -> Bool { exists(path) }

    /// Places that another attempt gets just before.
    var lost: Set<String> = []

    func promise(_ path: LibraryPath) -> Bool { lost.remove(path.description) == nil }

    func exists(_ path: LibraryPath) -> Bool {
      looks += 1
      return taken.contains(path.description)
    }

    func place(number: Int = 1) throws -> String? {
      try place(for: nil, number: number, portably: true) { number throws(DownloadError) in
        guard let path = try? LibraryPath(validating: "a \(number)") else { throw DownloadError(.io, "no name") }
        return path
      }?.description
    }
  }

  @Test(
    "The lowest free number is taken, with few looks where many are taken", arguments: [0, 1, 15, 16, 17, 1000, 4097])
  func lowest(last: Int) throws {
    let folder = Folder(takenUpTo: last)
    #expect(try folder.place() == "a \(last + 1)")
    #expect(folder.looks <= 16 + 2 * 13)
  }

  @Test("Among the first numbers a gap is filled, and the search begins at the number that is asked for")
  func gaps() throws {
    #expect(try Folder(takenUpTo: 100, butFor: [7, 50]).place() == "a 7")
    #expect(try Folder(takenUpTo: 100, butFor: [7]).place(number: 8) == "a 101")
    #expect(try Folder(takenUpTo: 3).place(number: 9) == "a 9")
  }

  @Test("Where a place is lost to another attempt the search goes on behind it")
  func lostPlaces() throws {
    let folder = Folder(takenUpTo: 1000)
    folder.lost = ["a 1001", "a 1002"]
    #expect(try folder.place() == "a 1003")
    #expect(folder.looks <= 16 + 2 * 13 + 2)
  }

  @Test("A client's own place is tried once, and in a folder that is spelled otherwise once more")
  func wanted() throws {
    let folder = Folder(takenUpTo: 0)
    let path = try LibraryPath(validating: "b/c.mp3")
    for isPortable in [false, true] {
      let places = try [1, 2].map { number in
        try folder.place(for: path, number: number, portably: isPortable) { _ in path }
      }
      #expect(places == [path, nil])
    }
    let other = try LibraryPath(validating: "B/c.mp3")
    folder.spell(path, as: other)
    let places = try [1, 2, 3].map { try folder.place(for: path, number: $0, portably: true) { _ in path } }
    #expect(places == [other, other, nil])
    // Where names are not portable, the disk may tell no case apart: nothing but the spelling changes.
    let colon = try (LibraryPath(validating: "b/c:d.mp3"), LibraryPath(validating: "B/c:d.mp3"))
    folder.spell(colon.0, as: colon.1)
    #expect(try folder.place(for: colon.0, number: 1, portably: false) { _ in path } == colon.0)
    folder.ignoresCase = true
    #expect(try folder.place(for: colon.0, number: 1, portably: false) { _ in path } == colon.1)
    #expect(try folder.place(for: nil, number: 1, portably: false) { _ in colon.0 } == colon.1)
  }
}
