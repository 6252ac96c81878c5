import Flux
import PodfluxCore

/// Checks of files that become the downloads of episodes.
extension InvariantChecker {
  /// All that a run which adopts looks at, at one moment: files that no download has, and what of an episode tells it.
  struct AdoptionScene: Hashable {
    private struct Facts: Hashable {
      var content: EpisodeContent
      var hasDownload: Bool
      var isAddressTaken: Bool
    }

    private let files: [String: FoundFile]
    private let episodes: [EpisodeID: Facts]
    private let feeds: [Feed.Key: [String?]]
    private let covers: [String: SimulatedDisk.Cover]
    private let links: Set<String>
    private let isInPlace: Bool
    /// A survey leaves the files that the disk did not let it read.
    private let unansweredCalls: Int

    init(_ checker: InvariantChecker, _ disk: SimulatedDisk) {
      let owned = checker.rows.values.compactMap(\.publishedFile)
      let (paths, inodes) = (Set(owned.map(\.path.description)), Set(owned.map(\.inode)))
      files = disk.published.filter { !paths.contains($0.key) && !inodes.contains($0.value.file.inode) }
        .mapValues { disk.found($0.file, at: "") }
      let living = checker.rows.filter { $0.value.state.kind != .failed }
      let byAddress = Dictionary(grouping: living.values, by: \.address)
      let owners = Dictionary(grouping: checker.feeds.episodes.values) { $0.download }
      episodes = checker.feeds.episodes.mapValues { episode in
        let alike = episode.content.enclosure.flatMap { byAddress[$0.address] } ?? []
        return Facts(
          content: episode.content, hasDownload: episode.download.map { living[$0] != nil } ?? false,
          isAddressTaken: alike.contains { row in
            owners[row.id]?.contains { $0.feed == episode.feed && $0.id != episode.id } != true
          })
      }
      feeds = checker.feeds.feeds.mapValues { [$0.shownTitle, $0.podcast?.title] }
      (covers, links, isInPlace) = (disk.covers, disk.links, disk.isInPlace)
      unansweredCalls = disk.unansweredCalls
    }
  }

  /// A file that a person has put into the library.
  struct DroppedFile {
    /// The episode that it is; nil if it is none's.
    var truth: Int?
    /// The title after which it was named.
    var title: String
  }

  /// What a plan has come to, in a scene.
  struct AdoptionPlan {
    var scene: AdoptionScene
    var adopting: Adopting
    var steps: [CleanupStep]
  }

  /// Keeps rows and files as they are when a survey for an adoption begins.
  func beginsSurvey(_ run: CleanupRun, on disk: SimulatedDisk) {
    guard run.adopting != nil else { return }
    adoptionScene = AdoptionScene(self, disk)
  }

  /// A survey has paired files with episodes.
  func hasPaired(_ steps: [CleanupStep], _ survey: SimulatedSurvey, on disk: SimulatedDisk) throws {
    guard let adopting = survey.run.adopting else { return }
    let adopted = steps.filter { $0.decision == .adopt }
    for step in adopted {
      guard case .episodeFile(let found, let pairing) = step.finding, let episode = pairing.episodes.first else {
        throw Violation(.adopted, "\(step) adopts no file of an episode")
      }
      try checkTruth(of: SimulatedDisk.path(found.place), episode)
      if let row = survey.record.rows.first(where: { $0.isCompleted && $0.file.claims(found) }) {
        throw Violation(.adopted, "\(found.place.text) is adopted, and is the file of \(row.download)")
      }
    }
    let scene = AdoptionScene(self, disk)
    guard scene == adoptionScene else { return }
    if survey.run.options.mode == .apply, let plan = adoptionPlan, plan.scene == scene, plan.adopting == adopting,
      plan.steps.map(\.finding) != adopted.map(\.finding)
    {
      throw Violation(.asPlanned, "planned was \(plan.steps), and decided is \(adopted)")
    }
    if survey.run.options.mode == .plan {
      adoptionPlan = AdoptionPlan(scene: scene, adopting: adopting, steps: adopted)
    }
  }

  /// The file of one episode must not become another's.
  private func checkTruth(of path: String, _ episode: EpisodeID) throws {
    // What people have not dropped is named after no episode, or after one that the engine has named it after.
    guard let dropped = adoptable[path], let row = feeds.episodes[episode] else { return }
    // What spoke against an episode may speak for it when its publisher has changed its title: a number that was none
    // of the former title's, beside a length that is still its own.
    guard dropped.truth != nil || row.content.title == dropped.title else { return }
    guard SimulatedItem.truth(of: row.content) == dropped.truth else {
      throw Violation(.adopted, "\(path) is taken for \(episode), which is \(row.content.summary)")
    }
  }

  /// A row is that of an adopted file.
  func checkAdopted(_ row: Download, _ changes: Changes, on disk: SimulatedDisk) throws {
    guard case .completed(let file) = row.state else { return }
    let step = changes.finishedSteps.first { step in
      guard case .episodeFile(let found, _) = step.finding else { return false }
      return found.place == EntryPath(file.path) && file.claims(found)
    }
    guard let step, let episode = step.finding.pairing?.episodes.first else { return }
    try checkTruth(of: file.path.description, episode)
    guard step.decision == .adopt, step.finding.pairing?.confidence != .doubtful else {
      throw Violation(.adopted, "\(step) is doubtful, and done")
    }
    let other = rows.values.map(\.id).sorted().first { id in
      guard id != row.id, case .completed(let theirs)? = rows[id]?.state else { return false }
      return theirs.path == file.path || theirs.claims(FoundFile(file))
    }
    if let other { throw Violation(.adopted, "\(file.path) is adopted as \(row.id), and is the file of \(other)") }
    if let known = feeds.episodes[episode] {
      guard known.download == row.id, known.ruling == nil else {
        throw Violation(.adopted, "\(episode) has got \(file.path) as \(row.id), and knows \(known.download as Any)")
      }
    }
    guard let entry = disk.published[file.path.description], entry.file.modified == file.modifiedNanoseconds,
      entry.file.inode == file.inode, !entry.file.isEdited
    else { return }
    guard entry.file.isMedia else { throw Violation(.adopted, "\(file.path) is adopted, and is no media") }
  }

  /// A step that adopts a file must leave all files as they are.
  func hasAdopted(_ step: CleanupStep, before: [String: FoundFile], on disk: SimulatedDisk) throws {
    guard case .episodeFile(let found, _) = step.finding else { return }
    let after = disk.published.mapValues { disk.found($0.file, at: "") }
    guard after == before else {
      throw Violation(.untouched, "adopting \(found.place.text) changes a file")
    }
  }
}
