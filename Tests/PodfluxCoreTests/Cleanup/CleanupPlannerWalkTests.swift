import Flux
import Testing

@testable import PodfluxCore

/// Random rows and files from a seed: few paths, inodes, lengths and contents, so that they collide.
@Suite("Random disorders")
struct CleanupPlannerWalkTests {
  @Test(
    "No file gets two decisions, no row's file is given away, and afterwards nothing is left to decide",
    arguments: [UInt64(1), 2, 3, 4])
  func disorders(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed, index: 0)
    var planned = 0
    for number in 0..<500 {
      let scene = try disorder(using: &random)
      let options = CleanupOptions(isDeep: Bool.random(using: &random))
      let steps: [CleanupStep]
      do {
        steps = try scene.plan(options)
      } catch CleanupPlanner.Failure.everythingGone {
        continue
      }
      planned += steps.count
      check(steps, of: scene, "disorder \(number)")
      apply(steps, to: scene)
      do {
        #expect(try scene.decisions(options).isEmpty, "disorder \(number)")
      } catch CleanupPlanner.Failure.everythingGone(let count) {
        Issue.record("disorder \(number): all \(count) that were left are gone")
      }
    }
    #expect(planned > 500)
  }

  private func disorder(using random: inout SeededGenerator) throws -> PlannerScene {
    let scene = PlannerScene()
    let contents = ["one", "two", "three"]
    for number in 0..<Int.random(in: 0...8, using: &random) {
      let inode =
        Int.random(in: 0..<6, using: &random) == 0 ? UInt64.random(in: 1...12, using: &random) : UInt64(number + 1)
      try scene.row(
        "d\(number)", at: "s/\(Int.random(in: 0..<7, using: &random))",
        length: .random(in: 10...11, using: &random), inode: inode,
        content: Bool.random(using: &random) ? contents.randomElement(using: &random) : nil,
        isCompleted: Int.random(in: 0..<12, using: &random) != 0)
    }
    // 0 is the unknown inode.
    for inode in (1...12).shuffled(using: &random).prefix(Int.random(in: 0...10, using: &random)) {
      let places = Set(scene.entries.map(\.place))
      let place = "s/\(Int.random(in: 0..<9, using: &random))"
      guard !places.contains(EntryPath(bytes: Array(place.utf8))) else { continue }
      // More often than not, the file matches the row with its inode.
      let row = Bool.random(using: &random) ? scene.rows.first { $0.file.inode == UInt64(inode) } : nil
      let content = contents.first { PlannerScene.sha256(of: $0) == row?.file.sha256 }
      scene.found(
        row?.file.path.description ?? place, length: row?.file.length ?? .random(in: 10...11, using: &random),
        inode: UInt64(inode), content: content ?? contents.randomElement(using: &random))
    }
    // If two have one path, the later one counts.
    scene.entries = scene.entries.reversed().reduce(into: []) { kept, entry in
      if !kept.contains(where: { $0.place == entry.place }) { kept.append(entry) }
    }
    return scene
  }

  private func check(_ steps: [CleanupStep], of scene: PlannerScene, _ comment: Comment) {
    let owned = scene.rows.filter { row in
      row.isCompleted
        && scene.entries.contains {
          $0.entry == .file(FoundFile(place: row.place, length: row.file.length, inode: row.file.inode))
        }
    }
    let rows = steps.compactMap { $0.finding.kind == .orphan ? nil : $0.finding.download }
    #expect(Set(rows).count == rows.count, comment)
    let orphans = steps.compactMap { $0.finding.kind == .orphan ? $0.finding.place : nil }
    let destinations = steps.compactMap(\.finding.destination).map(EntryPath.init)
    #expect(Set(destinations).count == destinations.count, comment)
    #expect(Set(orphans).isDisjoint(with: destinations), comment)
    #expect(Set(orphans + destinations).isDisjoint(with: owned.map(\.place)), comment)
    let lost = steps.filter { $0.finding.kind == .missing || $0.finding.kind == .moved }.compactMap(\.finding.download)
    #expect(Set(lost).isDisjoint(with: owned.map(\.download)), comment)
  }

  /// Applies the steps to the scene.
  private func apply(_ steps: [CleanupStep], to scene: PlannerScene) {
    for step in steps {
      switch step.finding {
      case .missing(let id, _, _): scene.rows.removeAll { $0.download == id }
      case .moved(let id, _, let file):
        scene.rows.removeAll { $0.download == id }
        scene.rows.append(ExpectedFile(download: id, file: file, isCompleted: true))
      case .corrupt(let id, _, let found):
        scene.rows.removeAll { $0.download == id }
        let isClaimed = scene.rows.contains { $0.place == found.place && $0.file.inode == found.inode }
        if !isClaimed { scene.entries.removeAll { $0.place == found.place } }
      case .orphan(let found): scene.entries.removeAll { $0.place == found.place }
      default: Issue.record("unexpected \(step)")
      }
    }
  }
}
