/// Steps whose rows are to follow their files to places, or to inodes, that other rows have yet.
///
/// They wait until those rows have left, or go together with them: two files that have changed places are followed at
/// once, so that no file is ever that of two downloads.
struct HeldSteps {
  private var steps: [DownloadID: CleanupStep] = [:]
  /// For each held step's download, the files that occupy the path it needs.
  private var occupants: [DownloadID: [CleanupStep.Occupant]] = [:]
  /// Which of them wait for a row to leave a place.
  private var waiting: [EntryPath: Set<DownloadID>] = [:]

  /// The steps, in the order of their numbers.
  var inOrder: [CleanupStep] { steps.values.sorted { $0.key < $1.key } }

  subscript(id: DownloadID) -> CleanupStep? { steps[id] }

  /// Holds a download's step, or takes in which rows stand in its way by now.
  mutating func hold(_ step: CleanupStep, of id: DownloadID, behind others: [CleanupStep.Occupant]) {
    _ = remove(id)
    steps[id] = step
    occupants[id] = others
    for other in others { waiting[other.place, default: []].insert(id) }
  }

  /// Holds a download's step no longer, and returns it.
  mutating func remove(_ id: DownloadID) -> CleanupStep? {
    for other in occupants.removeValue(forKey: id) ?? [] {
      waiting[other.place]?.remove(id)
      if waiting[other.place]?.isEmpty == true { waiting[other.place] = nil }
    }
    return steps.removeValue(forKey: id)
  }

  /// The downloads whose steps wait for a row to leave this place.
  func waiting(for place: EntryPath) -> [DownloadID] { waiting[place]?.sorted() ?? [] }

  /// The downloads that must go together with one: those in its way, and those in theirs. Nil if one of them is not
  /// held.
  ///
  /// What a file program has renumbered is one chain: it is followed in memory, for each of its rows.
  func group(of id: DownloadID) -> Set<DownloadID>? {
    var (open, group) = ([id], [id] as Set<DownloadID>)
    while let next = open.popLast() {
      guard let others = occupants[next] else { return nil }
      for other in others where group.insert(other.id).inserted { open.append(other.id) }
    }
    return group
  }
}
