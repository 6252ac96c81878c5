import Foundation
import TestSupport

/// The queries of a view on a library of a million downloads.
struct FilterScenario: Scenario {
  let name = "filters"
  let abstract = "a million downloads: filters with all their counts, lists in each order, searching"

  private static let rowCount = 1_000_000
  private static let podcastCount = 1000
  private static let hostCount = 50
  private static let linesAtOnce = 10_000
  private static let roundTripCount = 200

  func measure(_ bench: Bench) throws -> [Figure] {
    try bench.folder.withFolder { folder in
      let library = folder + "/library"
      let filling = try Self.fill(library)
      let (process, start) = try PodfluxProcess.started(library: library)
      defer { process.signal(SIGKILL) }
      let resident = try ProcessReading(process).residentBytes
      var view = View(process: process)
      for _ in 0..<bench.runs { try view.look() }
      let further = try (0..<Self.roundTripCount).map { _ in
        try view.ask(
          "downloads/enqueue", #"{"paused":true,"title":"Episode of a new show","url":"http://127.0.0.1:1/new"}"#)
      }
      let growth = try ProcessReading(process).residentBytes - resident
      try process.terminate()
      return [
        Figure("1,000,000 enqueued", .seconds, [filling]),
        Figure("ready", .milliseconds, [start * 1000], target: .atMost(200)),
        Figure("toggle and all counts", .milliseconds, view.toggles, target: .atMost(150)),
        Figure("page, worst of all orders, many shown", .milliseconds, view.densePages, target: .atMost(20)),
        Figure("page, worst of all orders, few shown", .milliseconds, view.sparsePages, target: .atMost(20)),
        Figure("page of a rare text", .milliseconds, view.rareTexts, target: .atMost(100)),
        Figure("page of a frequent text", .milliseconds, view.frequentTexts, target: .atMost(100)),
        Figure("page of two texts, one frequent", .milliseconds, view.mixedTexts, target: .atMost(100)),
        Figure("page of a frequent text in one podcast", .milliseconds, view.narrowTexts, target: .atMost(100)),
        Figure("all counts of a rare text", .milliseconds, view.rareCounts, target: .atMost(150)),
        Figure("all counts of a text in each title", .milliseconds, view.frequentCounts),
        Figure("further enqueue p50", .milliseconds, [further.percentile(50)], target: .atMost(5)),
        Figure("further enqueue p99", .milliseconds, [further.percentile(99)], target: .atMost(5)),
        Figure("resident when ready", .mebibytes, [resident.mebibytes]),
        Figure("resident more, after all that", .mebibytes, [growth.mebibytes]),
      ]
    }
  }

  /// A viewer of the library.
  private struct View {
    let process: PodfluxProcess
    var toggles: [Double] = []
    var densePages: [Double] = []
    var sparsePages: [Double] = []
    var rareTexts: [Double] = []
    var frequentTexts: [Double] = []
    var mixedTexts: [Double] = []
    var narrowTexts: [Double] = []
    var rareCounts: [Double] = []
    var frequentCounts: [Double] = []
    private var number = 10_000_000

    init(process: PodfluxProcess) {
      self.process = process
    }

    mutating func ask(_ type: String, _ payload: String) throws -> Double {
      number += 1
      return try process.roundTripMilliseconds(type, payload: payload, number: number)
    }

    /// Runs all queries once.
    mutating func look() throws {
      for filter in ["media:audio", "time:year", "origin:user", "media:audio", "time:year", "origin:user"] {
        toggles.append(try ask("filters/toggle", #"{"filter":"\#(filter)"}"#) + counts())
      }
      _ = try ask("filters/toggle", #"{"filter":"media:audio"}"#)
      densePages.append(try worstPage())
      _ = try ask("filters/toggle", #"{"filter":"podcast:Show 77"}"#)
      sparsePages.append(try worstPage())
      (narrowTexts, _) = try search("episode", narrowTexts, nil)
      _ = try ask("filters/clear", "{}")
      (rareTexts, rareCounts) = try search("xylophone 4", rareTexts, rareCounts)
      (frequentTexts, frequentCounts) = try search("episode", frequentTexts, frequentCounts)
      (mixedTexts, _) = try search("episode 77", mixedTexts, nil)
      _ = try ask("filters/clear", "{}")
    }

    private mutating func counts() throws -> Double {
      try ask("snapshot", #"{"stores":["filters"]}"#)
    }

    private mutating func worstPage() throws -> Double {
      var worst = 0.0
      for key in ["added", "published", "title", "size", "state", "position"] {
        for sort in [key, "-" + key] {
          worst = max(worst, try ask("snapshot", #"{"stores":["downloads"],"downloads":{"sort":"\#(sort)"}}"#))
        }
      }
      return worst
    }

    private mutating func search(
      _ text: String, _ pages: [Double], _ counts: [Double]?
    ) throws -> ([Double], [Double]) {
      _ = try ask("filters/setText", #"{"text":"\#(text)"}"#)
      let page = try ask("snapshot", #"{"stores":["downloads"]}"#)
      let all = try counts.map { try $0 + [self.counts()] }
      return (pages + [page], all ?? [])
    }
  }

  /// Enqueues a million downloads that are never fetched.
  private static func fill(_ library: String) throws -> Double {
    let (process, _) = try PodfluxProcess.started(library: library)
    defer { process.signal(SIGKILL) }
    let stopwatch = Stopwatch()
    var sent = process.lines.count
    for start in stride(from: 0, to: rowCount, by: linesAtOnce) {
      try process.send(bytes: lines(start..<start + linesAtOnce))
      sent += linesAtOnce
      try process.waitForLines(sent, upTo: 120)
    }
    let seconds = stopwatch.seconds
    try process.terminate()
    return seconds
  }

  private static func lines(_ numbers: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers {
      // Numbers without a pattern that an index could exploit; the same each time.
      let mixed = (number &* 2_654_435_761) & 0xFFFF_FFFF
      let rare = mixed % 50_000 == 0 ? " xylophone" : ""
      let (year, month, day) = (2023 + mixed % 4, 1 + mixed / 4 % 12, 1 + mixed / 48 % 28)
      let date = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
      let kind = ["mp3", "mp3", "mp3", "m4a", "mp4", "pdf"][mixed / 7 % 6]
      let podcast = number / 250 % podcastCount
      let line = """
        {"type":"downloads/enqueue","payload":{"id":"e\(number)","length":\(mixed % 700 << 20),"origin":\
        "\(mixed / 3 % 3 == 0 ? "user" : "auto")","paused":true,"podcast":"Show \(podcast)","published":\
        "\(date)T06:00:00Z","title":"Episode \(mixed % 1000)\(rare) of \(number)",\
        "url":"http://host\(podcast % hostCount).example/\(number).\(kind)"}}

        """
      bytes += line.utf8
    }
    return bytes
  }
}
