import Flux
import Testing

@testable import PodfluxCore

@Suite("The plan of new names")
struct RenamingPlannerTests {
  private final class Looks {
    var count = 0
  }

  /// Names are `<title>.mp3`, then `<title> (2).mp3`; the disk has the subjects' files and some others.
  private struct Disk: RenamingEvidence {
    var files: Set<String>
    var isPortable = true
    var isCancelled = false
    let looks = Looks()

    func name(for facts: PublishingFacts, number: Int) throws -> LibraryPath? {
      try LibraryPath(validating: (facts.description.title ?? "") + (number == 1 ? ".mp3" : " (\(number)).mp3"))
    }

    func occupant(of path: LibraryPath) throws -> EntryPath? {
      looks.count += 1
      return files.sorted().first { $0.lowercased() == path.description.lowercased() }.map {
        EntryPath(bytes: Array($0.utf8))
      }
    }
  }

  /// The moves for files with new titles, such as `a>b`, on a disk with others.
  ///
  /// - Parameter mostLooks: How often it may be looked what takes a path.
  private func moves(
    _ renames: [(String, String)], others: [String] = [], isPortable: Bool = true, mostLooks: Int = .max
  ) throws -> [String] {
    var planner = RenamingPlanner()
    for (number, (path, title)) in renames.enumerated() {
      let address = try WebAddress("https://h/\(number)")
      planner.add(
        try #require(DownloadID("d\(number)")),
        PublishedFile(
          path: try LibraryPath(validating: path + ".mp3"), length: 1, inode: UInt64(number + 1), sha256: nil,
          modifiedNanoseconds: nil),
        PublishingFacts(description: .init(title: title), address: address, settings: Settings()))
    }
    let disk = Disk(files: Set((renames.map(\.0) + others).map { $0 + ".mp3" }), isPortable: isPortable)
    let steps = try planner.steps(disk)
    #expect(disk.looks.count <= mostLooks)
    return steps.map { step in
      guard case .misnamed(_, let file, let path) = step.finding else { return "\(step)" }
      #expect(step.decision == .rename)
      return "\(file.path.description.dropLast(4))>\(path.description.dropLast(4))"
    }
  }

  @Test("Files with one title keep their numbers, and no pair of them is looked at twice")
  func numbered() throws {
    let count = 60
    let files = (1...count).map { ($0 == 1 ? "t" : "t (\($0))", "t") }
    #expect(try moves(files, mostLooks: count * count / 2) == [])
  }

  @Test(
    "moves each file to a name that is free when its turn comes",
    arguments: [
      ([("a", "b")], [], ["a>b"]),
      // A taken name gets an addition; with the one that it has already, a file stays.
      ([("a", "b")], ["b"], ["a>b (2)"]), ([("b (2)", "b")], ["b"], []), ([("b (3)", "b")], ["b"], ["b (3)>b (2)"]),
      ([("x", "b"), ("y", "b")], [], ["x>b", "y>b (2)"]),
      // A chain, from its end.
      ([("a", "b"), ("b", "c"), ("c", "d")], [], ["c>d", "b>c", "a>b"]),
      // Circles of two and three: one of the files goes to a name of its own in between.
      ([("a", "b"), ("b", "a")], [], ["a>b (2)", "b>a", "b (2)>b"]),
      ([("a", "b"), ("b", "c"), ("c", "a")], [], ["a>b (2)", "c>a", "b>c", "b (2)>b"]),
      ([("a", "b"), ("b", "a")], ["b (2)"], ["a>b (3)", "b>a", "b (3)>b"]),
      // Another spelling, where disks may ignore case.
      ([("a", "A")], [], ["a>A (2)", "A (2)>A"]),
      // One that was to leave its place stays there after all: nothing takes the place.
      ([("a", "b"), ("b", "c")], ["c", "c (2)"], ["b>c (3)", "a>b"]),
      ([("a", "c (2)"), ("c (2)", "c")], ["c"], ["a>c (2) (2)"]),
      // Two circles, and a chain into what is left of one's place.
      (
        [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("e", "f")], [],
        ["e>f", "a>b (2)", "b>a", "b (2)>b", "c>d (2)", "d>c", "d (2)>d"]
      ),
    ] as [([(String, String)], [String], [String])])
  func order(renames: [(String, String)], others: [String], expected: [String]) throws {
    #expect(try moves(renames, others: others) == expected)
  }

  @Test("takes folders that differ in case only for one, as it is spelled first, where names are to be portable")
  func folders() throws {
    let renames = [("1", "S/Stra\u{DF}e/1"), ("2", "s/STRASSE/2"), ("3", "S/other/3"), ("4", "S/Other/1")]
    #expect(
      try moves(renames) == ["1>S/Stra\u{DF}e/1", "2>S/Stra\u{DF}e/2", "3>S/other/3", "4>S/other/1"])
    #expect(try moves(renames, isPortable: false) == renames.map { "\($0)>\($1)" })
  }

  @Test("of any permutation and any names ends with each file under its name, over free names only")
  func anyNames() throws {
    var random = SeededGenerator(seed: 21)
    for _ in 0..<400 {
      let names = ["a", "b", "c", "d", "e", "A", "B", "a (2)", "b (2)"].shuffled(using: &random)
      let count = Int.random(in: 1...6, using: &random)
      let paths = Array(names.prefix(count)).reduce(into: [String]()) { paths, name in
        if !paths.contains(where: { $0.lowercased() == name.lowercased() }) { paths.append(name) }
      }
      let renames = paths.map { ($0, ["a", "b", "c", "d", "A"].randomElement(using: &random) ?? "a") }
      let moves = try self.moves(renames)
      // Carried out one by one, no move finds its name taken.
      var disk = Dictionary(uniqueKeysWithValues: renames.map { ($0.0, $0.1) })
      for move in moves {
        let (from, to) = (String(move.prefix { $0 != ">" }), String(move.drop { $0 != ">" }.dropFirst()))
        let title = try #require(disk[from], "\(renames) \(moves)")
        disk[from] = nil
        #expect(!disk.keys.contains { $0.lowercased() == to.lowercased() }, "\(renames) \(moves)")
        disk[to] = title
      }
      for (name, title) in disk {
        #expect(name == title || name.hasPrefix(title + " ("), "\(renames) \(moves) \(disk)")
      }
      // A name is left free only where another file has it that differs in case.
      for title in Set(renames.map(\.1)) {
        #expect(disk.keys.contains { $0.lowercased() == title.lowercased() }, "\(renames) \(moves) \(disk)")
      }
    }
  }

  @Test("leaves what has no free name, and ends when its run is cancelled")
  func limits() throws {
    let taken = ["b"] + (2...RenamingPlanner.maximumNumber).map { "b (\($0))" }
    #expect(try moves([("a", "b")], others: taken) == [])
    var planner = RenamingPlanner()
    let address = try WebAddress("https://h/1")
    planner.add(
      try #require(DownloadID("d")),
      PublishedFile(
        path: try LibraryPath(validating: "a.mp3"), length: 1, inode: 1, sha256: nil, modifiedNanoseconds: nil),
      PublishingFacts(description: .init(title: "b"), address: address, settings: Settings()))
    #expect(throws: CleanupPlanner.Failure.cancelled) { try planner.steps(Disk(files: [], isCancelled: true)) }
  }
}
