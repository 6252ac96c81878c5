/// Files that were moved or renamed inside the library, or copied back into it.
extension CleanupPlanner {
  /// Finds the files of displaced rows among the strays: by inode, which a rename keeps; at their own paths, after a
  /// restore from a backup; and by length and content.
  mutating func findMoved(_ evidence: some CleanupEvidence) throws {
    guard !displaced.isEmpty, !strays.isEmpty else { return }
    var search = Search(strays)
    let replaced = Set(displaced.compactMap { $0.found == nil ? nil : $0.row.place })
    try findCopiedBack(in: &search, evidence)
    // An inode may have been reused: before all others, the rows whose files have the same length and time.
    try match(in: &search, evidence) { [strays] lost, search in
      search.byInode[lost.row.file.inode].flatMap { lost.row.file.claims(strays[$0]) ? $0 : nil }
    }
    try match(in: &search, evidence) { [strays] lost, search in
      guard let index = search.byInode[lost.row.file.inode] else { return nil }
      return try lost.mayHaveMoved(as: strays[index], replaced, evidence) ? index : nil
    }
    // Before other matches: the content of these files is unknown.
    leaveDoubtful(in: &search, replaced) { $0.sha256 == nil }
    try match(in: &search, evidence) { [strays] lost, search in
      let row = lost.row
      guard let index = search.byPlace[row.place] else { return nil }
      // With unknown content and a later time, the file is an edited one.
      return row.file.sha256 == nil && row.file.hasOtherTime(than: strays[index]) ? nil : index
    }
    // Only content distinguishes files of the same length.
    for length in Set(displaced.filter { $0.row.file.sha256 != nil }.map(\.row.file.length)).sorted() {
      try search.readContents(ofLength: length, strays, evidence)
    }
    // A file that cannot be reached may still be in its place: then the same content elsewhere is a copy of it.
    try match(in: &search, evidence) { lost, search in
      lost.isBlocked ? nil : lost.row.file.sha256.flatMap { search.byContent[$0]?.last }
    }
    try findDamaged(in: &search, replaced, evidence)
    leaveDoubtful(in: &search, replaced) { _ in true }
    // An unreadable file may be any missing file of its length.
    for index in search.unreadable.sorted() where !search.isTaken(index) {
      let length = strays[index].length
      guard let lost = displaced.first(where: { $0.row.file.length == length && $0.row.file.sha256 != nil }) else {
        continue
      }
      displaced.removeAll { $0.row.file.length == length && $0.row.file.sha256 != nil }
      search.take(index)
      add(unreadable: strays[index], of: lost.row)
    }
    strays = strays.indices.filter { !search.taken.contains($0) }.map { strays[$0] }
    decided.formUnion(search.takenInodes)
  }

  /// Matches rows to copies of their files in their own places, of the same length and time: files that were restored
  /// from a backup may have the inodes of each other's former ones.
  private mutating func findCopiedBack(in search: inout Search, _ evidence: some CleanupEvidence) throws {
    let claimants = Dictionary(grouping: displaced.map(\.row), by: \.file.inode)
    try match(in: &search, evidence) { [strays] lost, search in
      let row = lost.row
      guard let index = search.byPlace[row.place], strays[index].length == row.file.length,
        row.file.hasTime(of: strays[index])
      else { return nil }
      // Equal content decides.
      if row.file.sha256 != nil { return index }
      // What existed when a download ended is no copy of its file.
      let withInode = search.byInode[row.file.inode].map { strays[$0] }
      let isMoved = try withInode.map { try row.isOlder(than: $0, evidence) != true } ?? false
      let others = claimants[strays[index].inode] ?? []
      return try !isMoved && others.allSatisfy { try $0.isOlder(than: strays[index], evidence) == true } ? index : nil
    }
  }

  /// Matches files that were moved and changed to their rows: taggers rename files that they have written to.
  private mutating func findDamaged(
    in search: inout Search, _ replaced: Set<EntryPath>, _ evidence: some CleanupEvidence
  ) throws {
    var rest: [Displaced] = []
    for lost in displaced {
      guard let index = search.byInode[lost.row.file.inode], !search.isTaken(index),
        try isRenamed(lost, index, &search, replaced, evidence)
      else {
        rest.append(lost)
        continue
      }
      search.take(index)
      guard strays[index].place.libraryPath != nil else {
        add(unnameable: strays[index], of: lost.row)
        continue
      }
      try judge(lost.row, strays[index], lost.row.file.difference(from: strays[index]), evidence)
    }
    displaced = rest
  }

  /// Whether a stray with the inode of a row's file is that file, moved and changed. A new file may reuse an inode: so
  /// only if that is impossible, or the file is certainly older.
  private func isRenamed(
    _ lost: Displaced, _ index: Int, _ search: inout Search, _ replaced: Set<EntryPath>,
    _ evidence: some CleanupEvidence
  ) throws -> Bool {
    let (file, stray) = (lost.row.file, strays[index])
    guard file.hasOtherTime(than: stray) || stray.length != file.length else {
      return try file.sha256 != nil && search.hash(index, strays, evidence) != nil
    }
    return try lost.hasMovedEdited(to: stray, replaced, evidence)
  }

  /// Leaves ambiguous strays: a stray has a row's inode and length but another time, and another file is in the row's
  /// place. Either the row's file was moved and edited and another one took its place, or that one is an edit of the
  /// row's file, whose inode was reused. Then no row follows it, and neither file is taken away.
  ///
  /// - Parameter isMeant: Selects the rows' files to check.
  private mutating func leaveDoubtful(
    in search: inout Search, _ replaced: Set<EntryPath>, where isMeant: (PublishedFile) -> Bool
  ) {
    var rest: [Displaced] = []
    for lost in displaced {
      guard isMeant(lost.row.file), lost.found != nil, let index = search.byInode[lost.row.file.inode],
        !search.isTaken(index),
        strays[index].length == lost.row.file.length, !replaced.contains(strays[index].place)
      else {
        rest.append(lost)
        continue
      }
      search.take(index)
      add(doubtful: strays[index], of: lost.row)
    }
    displaced = rest
  }

  private struct Search {
    var byInode: [UInt64: Int] = [:]
    var byPlace: [EntryPath: Int] = [:]
    var byContent: [String: [Int]] = [:]
    private(set) var taken: Set<Int> = []
    private(set) var takenInodes: Set<UInt64> = []
    private let inodes: [UInt64]
    private var byLength: [Int64: [Int]] = [:]
    private var hashes: [Int: String?] = [:]
    /// Files with unknown content.
    var unreadable: [Int] { hashes.filter { $0.value == nil }.map(\.key) }

    /// The known contents, by path.
    func known(_ strays: [FoundFile]) -> [(EntryPath, String)] {
      hashes.compactMap { index, hash in hash.map { (strays[index].place, $0) } }
    }

    init(_ strays: [FoundFile]) {
      inodes = strays.map(\.inode)
      for (index, stray) in strays.enumerated() {
        // Of several names of a file (link(2)), a row takes one that it can keep.
        if stray.inode != FoundFile.unknownInode, byInode[stray.inode] == nil || stray.place.libraryPath != nil {
          byInode[stray.inode] = index
        }
        byPlace[stray.place] = index
        byLength[stray.length, default: []].append(index)
      }
    }

    mutating func hash(_ index: Int, _ strays: [FoundFile], _ evidence: some CleanupEvidence) throws -> String? {
      if let hash = hashes[index] { return hash }
      let hash = try evidence.sha256(of: strays[index])
      hashes[index] = .some(hash)
      return hash
    }

    mutating func readContents(ofLength length: Int64, _ strays: [FoundFile], _ evidence: some CleanupEvidence) throws {
      for index in byLength[length]?.reversed() ?? [] where !isTaken(index) {
        guard !evidence.isCancelled else { throw Failure.cancelled }
        if let hash = try hash(index, strays, evidence) { byContent[hash, default: []].append(index) }
      }
    }

    /// Whether a row has taken this stray, or another name of the same file.
    func isTaken(_ index: Int) -> Bool { taken.contains(index) || takenInodes.contains(inodes[index]) }

    mutating func take(_ index: Int) {
      taken.insert(index)
      if inodes[index] != FoundFile.unknownInode { takenInodes.insert(inodes[index]) }
      guard let hash = hashes[index] ?? nil, let same = byContent[hash] else { return }
      if same.last == index { byContent[hash]?.removeLast() } else { byContent[hash] = same.filter { $0 != index } }
    }
  }

  private mutating func match(
    in search: inout Search, _ evidence: some CleanupEvidence, candidate: (Displaced, Search) throws -> Int?
  ) throws {
    // Later decisions reuse the hashes.
    defer { hashes.merge(search.known(strays)) { $1 } }
    var rest: [Displaced] = []
    for lost in displaced {
      guard !evidence.isCancelled else { throw Failure.cancelled }
      guard let index = try candidate(lost, search),
        let isFile = try isFile(of: lost.row, index, &search, evidence)
      else {
        rest.append(lost)
        continue
      }
      search.take(index)
      guard isFile else {
        add(unreadable: strays[index], of: lost.row)
        continue
      }
      guard let file = strays[index].published(sha256: lost.row.file.sha256) else {
        add(unnameable: strays[index], of: lost.row)
        continue
      }
      note(followed: strays[index])
      noteFile(of: lost.row)
      let because: String
      if file.path != lost.row.file.path {
        because = "it was moved to \"\(file.path)\""
      } else if lost.row.file.hasTime(of: strays[index]) {
        because = "a copy of it is in its place"
      } else {
        let likeness = lost.row.file.sha256 == nil ? "of the same length" : "with the same content"
        because = "another file \(likeness) is in its place"
      }
      add(.moved(lost.row.download, from: lost.row.file, to: file), .follow, because)
    }
    displaced = rest
  }

  /// Whether a stray is the row's file: true, false if it cannot be read, or nil if it is not.
  private func isFile(
    of row: ExpectedFile, _ index: Int, _ search: inout Search, _ evidence: some CleanupEvidence
  ) throws -> Bool? {
    guard !search.isTaken(index), strays[index].length == row.file.length else { return nil }
    guard let sha256 = row.file.sha256 else { return true }
    guard let actual = try search.hash(index, strays, evidence) else { return false }
    return actual == sha256 ? true : nil
  }
}

extension ExpectedFile {
  /// Whether its download ended before a file came to be; nil where nothing tells.
  fileprivate func isOlder(than stray: FoundFile, _ evidence: some CleanupEvidence) throws -> Bool? {
    try finished.flatMap { try evidence.existed(stray, at: $0) }.map { !$0 }
  }
}

extension PublishedFile {
  /// Whether the time of a file's last write is known to be its own.
  fileprivate func hasTime(of found: FoundFile) -> Bool {
    modifiedNanoseconds != nil && found.modifiedNanoseconds != nil && !hasOtherTime(than: found)
  }
}

extension CleanupPlanner.Displaced {
  /// Whether a file with the row's inode and length may be the row's file, moved.
  ///
  /// A file system may give the inode of a file that is gone to the next new one. Content distinguishes the two; if it
  /// is unknown, the modification time does, which a move keeps, and the time of birth, which an edit keeps.
  fileprivate func mayHaveMoved(
    as stray: FoundFile, _ replaced: Set<EntryPath>, _ evidence: some CleanupEvidence
  ) throws -> Bool {
    let file = row.file
    guard file.sha256 == nil, file.hasOtherTime(than: stray), file.length == stray.length else { return true }
    return try hasMovedEdited(to: stray, replaced, evidence)
  }

  /// Whether the row's file was certainly moved there and edited: not if another file is in its own place, nor if this
  /// one is in another row's place. Those are edits with new inodes. A file that is younger than the download, or may
  /// be, is a person's.
  fileprivate func hasMovedEdited(
    to stray: FoundFile, _ replaced: Set<EntryPath>, _ evidence: some CleanupEvidence
  ) throws -> Bool {
    guard found == nil, !replaced.contains(stray.place), let finished = row.finished else { return false }
    return try evidence.existed(stray, at: finished) == true
  }
}
