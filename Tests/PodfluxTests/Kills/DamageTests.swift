import Foundation
import Testing
import TestScheduling
import TestSupport

/// A library's database with flipped bits or misplaced pages.
///
/// `PODFLUX_DAMAGES=1500` tries more; `PODFLUX_SEED` repeats one run.
@Suite("A damaged database causes no crash, and costs no file", .systemTest)
struct DamageTests {
  private static let damages = ProcessInfo.processInfo.environment["PODFLUX_DAMAGES"].flatMap(Int.init) ?? 40
  /// One of this many damages is two swapped pages.
  private static let swapsEach = 4
  private static let pageBytes = 4096
  /// Done; started and failed; library unreadable.
  private static let statuses: Set<Int32> = [0, 1, 65]
  private static let answers: Set<String> = [
    "storage_failure", "not_found", "illegal_transition", "conflict",
  ]

  /// A client's lines to an engine on a library with unknown damage.
  private static let lines = [
    #"{"type":"snapshot","payload":{"downloads":{"limit":1000,"unfiltered":true}}}"#,
    #"{"type":"snapshot","payload":{"downloads":{"sort":"-published","where":{"newerThanDays":30}}}}"#,
    #"{"type":"downloads/move","payload":{"id":"e3","to":"top"}}"#,
    #"{"type":"downloads/move","payload":{"id":"e4","to":"after","anchor":"e7"}}"#,
    #"{"type":"filters/setText","payload":{"text":"ёж"}}"#,
    #"{"type":"snapshot","payload":{"downloads":{"sort":"title"}}}"#,
    #"{"type":"downloads/verify","payload":{"all":true}}"#,
    #"{"type":"downloads/update","payload":{"id":"e5","title":"Another","podcast":"Show"}}"#,
    #"{"type":"downloads/enqueue","payload":{"url":"http://127.0.0.1:1/new","paused":true}}"#,
    #"{"type":"cleanup/run","payload":{"orphans":"report"}}"#,
    #"{"type":"downloads/remove","payload":{"id":"e6"}}"#,
    #"{"type":"downloads/pause","payload":{"all":true}}"#,
    #"{"type":"snapshot","payload":{"downloads":{"sort":"state"}}}"#,
    #"{"type":"engine/shutdown"}"#,
  ]

  @Test("Flipped bits and swapped pages")
  func damages() throws {
    let seed = try SeededRandom.seed()
    print("damages of seed \(seed)")
    let scene = try Scene()
    try fill(scene)
    let database = URL(fileURLWithPath: scene.library + "/.podflux/podflux.sqlite")
    let whole = try Data(contentsOf: database)
    let files = try media(in: scene.library)
    #expect(files.count == 3)
    var refused = 0
    for number in 0..<Self.damages {
      var random = SeededRandom(seed: seed &+ UInt64(number))
      let folder = try TemporaryFolder("podflux-damage")
      let library = folder.path + "/library"
      try FileManager.default.copyItem(atPath: scene.library, toPath: library)
      let (damaged, told) = damage(whole, number, using: &random)
      try damaged.write(to: URL(fileURLWithPath: library + "/.podflux/podflux.sqlite"))
      let comment: Comment = "seed \(seed &+ UInt64(number)): \(told)"

      let snapshot = try PodfluxCommand.run(["snapshot", "--library", library])
      #expect(Self.statuses.contains(snapshot.status), comment)
      let run = try PodfluxCommand.run(
        ["run", "--library", library, "--on-eof", "exit", "--log-level", "critical"], input: Self.lines)
      #expect(Self.statuses.contains(run.status), comment)
      if run.status == 65 {
        refused += 1
        #expect(!run.errors.isEmpty, comment)
        #expect(try Data(contentsOf: URL(fileURLWithPath: library + "/.podflux/podflux.sqlite")) == damaged, comment)
      }
      for line in run.output.split(separator: "\n") {
        let object = try PodfluxProcess.parse(String(line))
        guard object["type"] as? String == "error" else { continue }
        let code = (object["payload"] as? [String: Any])?["code"] as? String
        #expect(Self.answers.contains(code ?? ""), "\(comment): \(line)")
      }
      // Also with unreadable rows: the user's files are still there.
      #expect(try media(in: library) == files, comment)
    }
    print("\(refused) of \(Self.damages) were refused with 65")
  }

  private func damage(_ whole: Data, _ number: Int, using random: inout SeededRandom) -> (Data, String) {
    var damaged = whole
    let pages = whole.count / Self.pageBytes
    if number % Self.swapsEach == 0 {
      // Of the same kind, or SQLite itself finds out at once (sqlite.org/fileformat.html section 1.6).
      let kinds = Dictionary(grouping: 1..<pages) { whole[$0 * Self.pageBytes] }
      let alike = kinds.keys.sorted().compactMap { kinds[$0] }.filter { $0.count > 1 }
      let chosen = alike[Int.random(in: 0..<alike.count, using: &random)].shuffled(using: &random)
      for (from, to) in [(chosen[0], chosen[1]), (chosen[1], chosen[0])] {
        let source = whole[from * Self.pageBytes..<(from + 1) * Self.pageBytes]
        damaged.replaceSubrange(to * Self.pageBytes..<(to + 1) * Self.pageBytes, with: source)
      }
      return (damaged, "pages \(chosen[0]) and \(chosen[1])")
    }
    // Free pages show nothing: only pages with content are damaged.
    var byte = 0
    repeat { byte = Int.random(in: 0..<whole.count, using: &random) } while whole[byte] == 0
    let bit = UInt8.random(in: 0..<8, using: &random)
    damaged[byte] ^= 1 << bit
    return (damaged, "bit \(bit) of byte \(byte)")
  }

  private func fill(_ scene: Scene) throws {
    for number in 0..<3 { scene.serve("/\(number).mp3", length: 20_000 + number) }
    let engine = try scene.start()
    for number in 0..<3 {
      try engine.order(
        "downloads/enqueue",
        [
          "url": scene.origin.url("/\(number).mp3"), "id": "c\(number)", "podcast": "Süß", "title": "Ёжик \(number)",
          "published": "2026-01-0\(number + 1)T00:00:00Z",
        ])
    }
    for number in 0..<3 { try engine.wait(for: "c\(number)", toBe: "completed") }
    for number in 0..<60 {
      try engine.order(
        "downloads/enqueue",
        [
          "url": "http://127.0.0.1:1/e\(number)", "id": "e\(number)", "podcast": "Show \(number % 5)",
          "title": "Episode \(number)", "published": "2026-02-01T00:00:00Z", "length": 1000 * number, "paused": true,
          "priority": ["high", "normal", "low"][number % 3], "headers": ["X-Token": "s\(number)"],
        ])
    }
    try engine.order("filters/save", ["name": "none"])
    try engine.order("settings/update", ["maxPerHost": 3])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
  }

  /// The contents of all files, at any path.
  private func media(in library: String) throws -> Set<Data> {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: library)
    return Set(
      try paths.filter { $0.hasSuffix(".mp3") || $0.contains("quarantine/") }.compactMap { path in
        var isFolder: ObjCBool = false
        let place = library + "/" + path
        guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder), !isFolder.boolValue else {
          return nil
        }
        let contents = try Data(contentsOf: URL(fileURLWithPath: place))
        return (20_000..<20_003).contains(contents.count) ? contents : nil
      })
  }
}
