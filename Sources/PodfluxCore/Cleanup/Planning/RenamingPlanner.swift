/// What the planner asks for of names and of the disk.
package protocol RenamingEvidence {
  /// The name that a file with these facts is to have: the first choice for number 1. Nil if there are no more.
  func name(for facts: PublishingFacts, number: Int) throws -> LibraryPath?
  /// What takes a path on the disk, or takes it on disks that ignore case; nil if it is free.
  func occupant(of path: LibraryPath) throws -> EntryPath?
  /// Whether folders whose names differ in case only are to be one.
  var isPortable: Bool { get }
  /// Whether the run has been cancelled.
  var isCancelled: Bool { get }
}

/// Decides which files get which names, and in which order: a file goes to another one's place after that one has left
/// it, and one of those that exchange places goes to a name of its own in between. So each step moves one file to a
/// free name, and after each of them row and file agree.
package struct RenamingPlanner {
  /// A file that may have to be renamed.
  private struct Subject {
    var download: DownloadID
    var file: PublishedFile
    var facts: PublishingFacts
    var place: EntryPath { EntryPath(file.path) }
  }

  /// The path that a file is to get.
  private struct Target {
    var path: LibraryPath
    /// How many names were taken before this one.
    var number: Int
    /// The file that leaves this place first; the file itself if only the spelling changes.
    var behind: Int?
  }

  /// How many names are tried for a file.
  package static let maximumNumber = 1000

  private var subjects: [Subject] = []
  private var leaving: [CleanupStep] = []
  /// How many files were passed over because there were too many; the next run handles them.
  package private(set) var passedOver = 0

  package init() {}

  /// Adds a file whose first choice is another name than it has.
  package mutating func add(_ download: DownloadID, _ file: PublishedFile, _ facts: PublishingFacts) {
    guard subjects.count < CleanupPlanner.differenceLimit else { return passedOver += 1 }
    subjects.append(Subject(download: download, file: file, facts: facts))
  }

  /// Leaves a file as it is, and says why.
  package mutating func leave(_ download: DownloadID, _ file: PublishedFile, for path: LibraryPath, _ because: String) {
    guard leaving.count < CleanupPlanner.leftLimit else { return passedOver += 1 }
    leaving.append(
      CleanupStep(finding: .misnamed(download, file, to: path), decision: .leave, because: because))
  }

  /// The steps, in the order in which they are to be done.
  package func steps(_ evidence: some RenamingEvidence) throws -> [CleanupStep] {
    let targets = try targets(evidence)
    return try ordered(targets, evidence) + leaving
  }

  // MARK: Names

  /// A name by which disks that ignore case tell files apart. What they confuse beyond that is found taken when it is
  /// moved.
  private static func key(_ path: LibraryPath) -> String { key(path.description) }
  private static func key(_ text: String) -> String { text.uppercased().lowercased() }

  /// The places that files leave. A disk that ignores case takes another spelling of a place for the place itself.
  private struct Places {
    private var exact: [EntryPath: Int] = [:]
    private var folded: [String: Int] = [:]

    mutating func add(_ index: Int, at path: LibraryPath) {
      exact[EntryPath(path)] = index
      folded[key(path)] = index
    }

    mutating func remove(_ index: Int, at path: LibraryPath) {
      if exact[EntryPath(path)] == index { exact[EntryPath(path)] = nil }
      if folded[key(path)] == index { folded[key(path)] = nil }
    }

    func subject(at place: EntryPath) -> Int? {
      exact[place] ?? place.libraryPath.flatMap { folded[key($0)] }
    }
  }

  /// How the folders of new names are spelled. Of those that a disk which ignores case takes for one only the first is
  /// made: each later name is to lie in it.
  private struct Folders {
    private var spelled: [String: String] = [:]

    mutating func spell(_ path: LibraryPath) -> LibraryPath {
      guard let folder = path.folder else { return path }
      var spelling = ""
      for name in folder.components {
        let beginning = spelling.isEmpty ? name : "\(spelling)/\(name)"
        let key = RenamingPlanner.key(beginning)
        spelling = spelled[key, default: beginning]
        spelled[key] = spelling
      }
      // The other spelling may exceed the limit of a path.
      return (try? LibraryPath(validating: "\(spelling)/\(path.name)")) ?? path
    }
  }

  /// The new names, by subject. A file that keeps its name leaves its place to no other one: where one was to go there
  /// already, the names are chosen again.
  private func targets(_ evidence: some RenamingEvidence) throws -> [Int: Target] {
    var staying: Set<Int> = []
    while true {
      let (targets, more) = try targets(besides: staying, evidence)
      guard targets.values.contains(where: { $0.behind.map(more.contains) ?? false }) else { return targets }
      staying.formUnion(more)
    }
  }

  private func targets(
    besides staying: Set<Int>, _ evidence: some RenamingEvidence
  ) throws -> (targets: [Int: Target], staying: Set<Int>) {
    var left = Places()
    for (index, subject) in subjects.enumerated() where !staying.contains(index) {
      left.add(index, at: subject.file.path)
    }
    var (targets, more, claimed): ([Int: Target], Set<Int>, Set<String>) = ([:], [], [])
    var folders = Folders()
    for (index, subject) in subjects.enumerated() where !staying.contains(index) {
      guard !evidence.isCancelled else { throw CleanupPlanner.Failure.cancelled }
      if let target = try target(of: index, subject, left, claimed, in: &folders, evidence) {
        claimed.insert(Self.key(target.path))
        targets[index] = target
      } else {
        more.insert(index)
        left.remove(index, at: subject.file.path)
      }
    }
    return (targets, more)
  }

  /// The first free name; nil if the file has it.
  private func target(
    of index: Int, _ subject: Subject, _ left: Places, _ claimed: Set<String>, in folders: inout Folders,
    _ evidence: some RenamingEvidence
  ) throws -> Target? {
    for number in 1...Self.maximumNumber {
      guard let choice = try evidence.name(for: subject.facts, number: number) else { return nil }
      let path = evidence.isPortable ? folders.spell(choice) : choice
      guard path != subject.file.path else { return nil }
      guard !claimed.contains(Self.key(path)) else { continue }
      guard let occupant = try evidence.occupant(of: path) else { return Target(path: path, number: number) }
      if occupant == subject.place || Self.key(path) == Self.key(subject.file.path) {
        return Target(path: path, number: number, behind: index)
      }
      if let other = left.subject(at: occupant) { return Target(path: path, number: number, behind: other) }
    }
    return nil
  }

  // MARK: Order

  private func ordered(_ targets: [Int: Target], _ evidence: some RenamingEvidence) throws -> [CleanupStep] {
    var claimed = Set(targets.values.map { Self.key($0.path) })
    var next: [Int: Int] = [:]
    for (index, target) in targets { if let behind = target.behind { next[behind] = index } }
    var (steps, done): ([CleanupStep], Set<Int>) = ([], [])
    func move(_ index: Int, from file: PublishedFile, _ target: Target) {
      steps.append(step(subjects[index].download, file, target))
      done.insert(index)
    }
    for index in targets.keys.sorted() where targets[index]?.behind == nil {
      var mover: Int? = index
      while let index = mover, let target = targets[index] {
        move(index, from: subjects[index].file, target)
        mover = next[index]
      }
    }
    // The remaining files form circles, in which each waits for the next one's name.
    for first in targets.keys.sorted() where !done.contains(first) {
      guard let target = targets[first], let between = try freeName(for: first, besides: &claimed, evidence) else {
        continue
      }
      var file = subjects[first].file
      steps.append(
        CleanupStep(
          finding: .misnamed(subjects[first].download, file, to: between), decision: .rename,
          because: "its new name is that of another file, which is renamed before"))
      file.path = between
      var mover = next[first]
      while let index = mover, index != first, let target = targets[index] {
        move(index, from: subjects[index].file, target)
        mover = next[index]
      }
      move(first, from: file, target)
    }
    return steps
  }

  private func step(_ download: DownloadID, _ file: PublishedFile, _ target: Target) -> CleanupStep {
    CleanupStep(
      finding: .misnamed(download, file, to: target.path), decision: .rename,
      because: target.number == 1 ? "that is its name by now" : "that is its name by now, and the plain one is taken")
  }

  /// A free name for a file whose present name another file waits for.
  private func freeName(
    for index: Int, besides claimed: inout Set<String>, _ evidence: some RenamingEvidence
  ) throws -> LibraryPath? {
    for number in 2...Self.maximumNumber {
      guard let path = try evidence.name(for: subjects[index].facts, number: number) else { return nil }
      guard Self.key(path) != Self.key(subjects[index].file.path), try evidence.occupant(of: path) == nil,
        claimed.insert(Self.key(path)).inserted
      else { continue }
      return path
    }
    return nil
  }
}
