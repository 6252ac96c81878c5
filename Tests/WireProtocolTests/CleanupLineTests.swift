import Flux
import Testing
import WireProtocol

@testable import PodfluxCore

/// Cleaning up as clients see it, byte by byte.
@Suite("A line about cleaning up")
struct CleanupLineTests {
  private static let moment = Timestamp(milliseconds: 1_795_230_000_000)

  @Test("replies with the number of the run that begins")
  func reply() {
    var encoder = LineEncoder()
    encoder.reply(.cleanup(42), id: .integer(1), revision: 9)
    #expect(
      String(decoding: encoder.bytes, as: UTF8.self)
        == #"{"meta":{"id":1,"revision":9},"payload":{"run":42},"type":"ok"}"# + "\n")
  }

  @Test("shows nothing before the first run")
  func nothing() {
    #expect(
      cleanup(CleanupSnapshot(run: nil, waiting: nil, steps: [], next: nil))
        == #"{"next":null,"run":null,"steps":[],"waiting":null}"#)
  }

  // MARK: Stages

  private static let beginning = #"{"askedAt":"2026-11-21T03:00:00.000Z","cause":"start","deep":false,"#
  private static let options = #""missing":"forget","mode":"apply","orphans":"report","#

  private func run(_ stage: CleanupRun.Stage, _ change: (inout CleanupRun) -> Void = { _ in }) -> CleanupRun {
    var run = CleanupRun(key: 7, options: .init(), cause: .start, askedAt: Self.moment)
    run.stage = stage
    if stage.isEnd { run.endedAt = Self.moment.advanced(byMilliseconds: 1_500) }
    change(&run)
    return run
  }

  private func shown(_ run: CleanupRun, _ progress: CleanupProgress? = nil) -> String {
    cleanup(CleanupSnapshot(run: run, progress: progress, waiting: nil, steps: [], next: nil))
  }

  @Test("shows a run that looks, and how far it is")
  func looking() {
    let expected =
      Self.beginning + #""endedAt":null,"findings":{},"freedBytes":0,"id":7,"# + Self.options
      + #""progress":{"files":3,"readBytes":9007199254740992},"reason":null,"state":"looking","usage":null}"#
    #expect(
      shown(run(.looking), CleanupProgress(files: 3, readBytes: 1 << 53))
        == #"{"next":null,"run":\#(expected),"steps":[],"waiting":null}"#)
  }

  @Test("shows no more bytes than JSON readers keep, though sparse files seem to have more")
  func sparse() {
    let progress = CleanupProgress(files: 3, readBytes: .max)
    #expect(shown(run(.looking), progress).contains(#""readBytes":9007199254740992}"#))
    #expect(shown(run(.done) { $0.freedBytes = .max }).contains(#""freedBytes":9007199254740992,"#))
  }

  @Test("shows a run that looks and has not told how far it is")
  func justLooking() {
    #expect(shown(run(.looking)).contains(#""progress":null,"reason":null,"state":"looking","#))
  }

  @Test("shows what a run that acts has found, kind by kind, and what the library's bytes are")
  func acting() {
    let acting = run(.acting) { run in
      run.usage = CleanupRun.Usage(media: 1, partial: 2, quarantine: 3, database: 4, other: 5)
      for (number, kind) in CleanupStep.Finding.Kind.allCases.enumerated() {
        var tally = CleanupRun.Tally()
        (tally.found, tally.bytes, tally.done, tally.left) = (number + 3, Int64(number) * 10, number, 1)
        run.tallies[kind] = tally
      }
      run.freedBytes = 77
    }
    let findings = [
      ("adoptable", 5), ("corrupt", 3), ("empty_folder", 10), ("episode_file", 13), ("expired_quarantine", 11),
      ("foreign", 6),
      ("misnamed", 12), ("missing", 0),
      ("modified", 2), ("moved", 1), ("orphan", 4), ("orphan_partial", 7), ("partial", 8), ("stray_partial", 9),
    ].map { #""\#($0)":{"bytes":\#($1 * 10),"count":\#($1 + 3),"done":\#($1),"left":1}"# }
    let expected =
      Self.beginning + #""endedAt":null,"findings":{\#(findings.joined(separator: ","))},"freedBytes":77,"id":7,"#
      + Self.options + #""progress":null,"reason":null,"state":"acting","#
      + #""usage":{"database":4,"media":1,"other":5,"partial":2,"quarantine":3}}"#
    #expect(shown(acting) == #"{"next":null,"run":\#(expected),"steps":[],"waiting":null}"#)
  }

  @Test(
    "shows how a run has ended, and why",
    arguments: [CleanupRun.Stage.done, .cancelled, .refused, .failed])
  func ended(stage: CleanupRun.Stage) {
    let reason: String? = stage == .refused || stage == .failed ? "the \"disk\" is gone" : nil
    let expected =
      Self.beginning + #""endedAt":"2026-11-21T03:00:01.500Z","findings":{},"freedBytes":0,"id":7,"# + Self.options
      + #""progress":null,"reason":\#(reason == nil ? "null" : #""the \"disk\" is gone""#),"state":"\#(stage.rawValue)","#
      + #""usage":null}"#
    #expect(
      shown(run(stage) { $0.reason = reason }) == #"{"next":null,"run":\#(expected),"steps":[],"waiting":null}"#)
  }

  @Test("shows the run that waits beside the one that is under way, with its own options")
  func waiting() {
    let options = CleanupOptions(mode: .plan, missing: .redownload, orphans: .adopt, isDeep: true)
    let waiting = CleanupRun(key: 8, options: options, cause: .client, askedAt: Self.moment)
    let text = cleanup(CleanupSnapshot(run: run(.looking), waiting: waiting, steps: [], next: nil))
    let expected =
      #"{"askedAt":"2026-11-21T03:00:00.000Z","cause":"client","deep":true,"endedAt":null,"findings":{},"#
      + #""freedBytes":0,"id":8,"missing":"redownload","mode":"plan","orphans":"adopt","progress":null,"#
      + #""reason":null,"state":"waiting","usage":null}}"#
    #expect(text.hasSuffix(#""steps":[],"waiting":"# + expected))
  }

  @Test("shows what a run that renames is about")
  func renaming() {
    let renaming = Renaming(
      feed: FeedID("show"), template: .standard, timeZone: .publisher, isPortable: true)
    let expected =
      Self.beginning + #""endedAt":"2026-11-21T03:00:01.500Z","feed":"show","findings":{},"freedBytes":0,"id":7,"#
      + Self.options + #""progress":null,"reason":null,"state":"done","task":"rename","usage":null}"#
    let run = run(.done) { $0.renaming = renaming }
    #expect(shown(run) == #"{"next":null,"run":\#(expected),"steps":[],"waiting":null}"#)
  }

  @Test("shows what a run that pairs files with episodes is about")
  func adopting() throws {
    let folder = try LibraryPath(validating: "Show")
    let expected =
      Self.beginning
      + #""endedAt":"2026-11-21T03:00:01.500Z","feed":null,"findings":{},"folder":"Show","freedBytes":0,"#
      + #""id":7,"# + Self.options + #""progress":null,"reason":null,"state":"done","task":"adopt","usage":null}"#
    let run = run(.done) { $0.adopting = Adopting(folder: folder) }
    #expect(shown(run) == #"{"next":null,"run":\#(expected),"steps":[],"waiting":null}"#)
  }

  // MARK: Steps

  @Test("shows a step of each kind, and where the next page begins")
  func steps() throws {
    let steps = try Self.steps()
    #expect(Set(steps.map(\.step.finding.kind)) == Set(CleanupStep.Finding.Kind.allCases))
    let text = cleanup(
      CleanupSnapshot(run: run(.acting), waiting: nil, steps: steps.map(\.step), next: PageCursor(key: 35)))
    #expect(text.hasPrefix(#"{"next":"z","run":{"#))
    let shown = steps.map(\.shown).joined(separator: ",")
    #expect(text.hasSuffix(#""steps":[\#(shown)],"waiting":null}"#))
  }

  /// Each with what it looks like behind its reason.
  private static func steps() throws -> [(step: CleanupStep, shown: String)] {
    let id = Samples.id("ep-1")
    let file = PublishedFile(path: try LibraryPath(validating: "Süß/a.mp3"), length: 10, inode: 1)
    let moved = PublishedFile(path: try LibraryPath(validating: "b/b.mp3"), length: 11, inode: 1)
    let found = FoundFile(
      place: EntryPath(bytes: Array("x/".utf8) + [0xFF, 0x0A] + Array("\"".utf8)), length: 12, inode: 2)
    let broken = #""x/\#u{FFFD}\n\"""#
    func step(
      _ finding: CleanupStep.Finding, _ decision: CleanupStep.Decision, _ status: CleanupStep.Status, _ bytes: Int,
      path: String, download: String = #""ep-1""#, to: String = "null"
    ) -> (CleanupStep, String) {
      let shown =
        #"{"because":"why","bytes":\#(bytes),"decision":"\#(decision.rawValue)","download":\#(download),"#
        + #""finding":"\#(finding.kind.rawValue)","path":\#(path),"status":"\#(status.rawValue)","to":\#(to)}"#
      return (CleanupStep(finding: finding, decision: decision, because: "why", status: status), shown)
    }
    let pairing = EpisodePairing(
      episodes: [EpisodeID(number: 3), EpisodeID(number: 4)], evidence: [.title, .length], confidence: .doubtful)
    let paired = CleanupStep(finding: .episodeFile(found, pairing), decision: .offer, because: "why")
    let shownPair =
      #"{"because":"why","by":["title","length"],"bytes":12,"decision":"offer","download":null,"#
      + #""episodes":["e3","e4"],"finding":"episode_file","path":\#(broken),"status":"left","sure":"doubtful","to":null}"#
    return [
      (paired, shownPair),
      step(.missing(id, file), .forget, .planned, 0, path: #""Süß/a.mp3""#),
      step(.missing(id, file), .redownload, .done, 0, path: #""Süß/a.mp3""#),
      step(.missing(id, file), .mark, .left, 0, path: #""Süß/a.mp3""#),
      step(.moved(id, from: file, to: moved), .follow, .done, 11, path: #""Süß/a.mp3""#, to: #""b/b.mp3""#),
      step(.modified(id, from: file, to: file), .follow, .done, Int(file.length), path: #""Süß/a.mp3""#),
      step(.misnamed(id, file, to: moved.path), .rename, .planned, 10, path: #""Süß/a.mp3""#, to: #""b/b.mp3""#),
      step(.corrupt(id, file, found: found), .quarantine, .done, 12, path: broken),
      step(.corrupt(id, file, found: found), .mark, .done, 12, path: broken),
      step(.orphan(found), .quarantine, .planned, 12, path: broken, download: "null"),
      step(.adoptable(found, owner: id, sha256: nil), .offer, .left, 12, path: broken),
      step(.adoptable(found, owner: id, sha256: nil), .adopt, .done, 12, path: broken),
      step(.orphanPartial(FoundPartial(download: id, length: 13)), .delete, .done, 13, path: "null"),
      step(.partial(id, planned: Samples.record, length: 14, tailHash: ""), .correct, .done, 14, path: "null"),
      step(.strayPartial(found), .quarantine, .planned, 12, path: broken, download: "null"),
      step(.emptyFolder(EntryPath(bytes: [0x61])), .delete, .done, 0, path: #""a""#, download: "null"),
      step(.foreign(EntryPath(bytes: [0x62])), .leave, .left, 0, path: #""b""#, download: "null"),
      step(.expiredQuarantine(before: 5, bytes: 15), .delete, .done, 15, path: "null", download: "null"),
    ]
  }

  private func cleanup(_ snapshot: CleanupSnapshot) -> String {
    var encoder = LineEncoder()
    encoder.answer(.snapshot(Snapshot(revision: 1, cleanup: snapshot)), id: nil, revision: 1)
    let line = String(decoding: encoder.bytes, as: UTF8.self)
    let (beginning, end) = (#"{"meta":{"revision":1},"payload":{"cleanup":"#, #"},"type":"ok"}"# + "\n")
    #expect(line.hasPrefix(beginning) && line.hasSuffix(end))
    return String(line.dropFirst(beginning.count).dropLast(end.count))
  }
}
