import Foundation
import TestSupport

/// Many clients of one engine, some of which observe, some of which read nothing, and one of which enqueues tens of
/// thousands: what they cost the one that asks.
struct ClientsScenario: Scenario {
  let name = "clients"
  let abstract = "1,000 clients on a socket, 100 observing, 10 that never read, or one that imports: replies to one"

  private static let clientCount = 1000
  private static let observerCount = 100
  private static let deafCount = 10
  private static let downloadCount = 100
  private static let askCount = 3000
  private static let importCount = 50_000

  /// The lines that the measured client sends; each is compared with itself alone.
  private enum Line: String, CaseIterable {
    case query = #"{"type":"snapshot","payload":{"stores":["engine"]}}"#
    case action = #"{"type":"downloads/update","payload":{"id":"0","title":"NUMBER"}}"#

    var figureName: String { self == .query ? "query" : "action" }
  }

  func measure(_ bench: Bench) throws -> [Figure] {
    var (alone, among): ([Line: [Double]], [Line: [Double]]) = ([:], [:])
    var besideImport: [[Double]] = []
    var perClient: [Double] = []
    allowManyFiles()
    for _ in 0..<bench.runs {
      try bench.folder.withFolder { folder in
        // A path that is short enough for a socket.
        let socketFolder = try TemporaryFolder("podflux-clients")
        let socket = socketFolder.path + "/engine.sock"
        let (process, _) = try PodfluxProcess.started(library: folder + "/library", arguments: ["--socket", socket])
        defer { process.signal(SIGKILL) }
        for number in 0..<Self.downloadCount {
          try process.order(
            "downloads/enqueue", ["url": "http://127.0.0.1:1/\(number)", "id": "\(number)", "paused": true])
        }
        let client = try RawConnection(socket)
        _ = try client.readLine()
        for line in Line.allCases { alone[line, default: []].append(try Self.percentile99(of: line, client)) }
        let before = try ProcessReading(process).residentBytes
        let crowd = try Self.crowd(at: socket)
        for line in Line.allCases { among[line, default: []].append(try Self.percentile99(of: line, client)) }
        let after = try ProcessReading(process).residentBytes
        perClient.append(Double(after - before) / 1024 / Double(crowd.count))
        besideImport.append(try Self.milliseconds(of: .action, client, besideImportInto: process))
        try process.terminate()
      }
    }
    return Line.allCases.flatMap { line in
      let (one, many) = (alone[line, default: []], among[line, default: []])
      return [
        Figure("\(line.figureName), p99 alone", .milliseconds, one),
        Figure("\(line.figureName), p99 among all", .milliseconds, many),
        Figure("\(line.figureName), among all : alone", .times, zip(many, one).map(/), target: .atMost(2)),
      ]
    } + [
      Figure("action, p50 among all, beside an import", .milliseconds, besideImport.map { $0.percentile(50) }),
      Figure("action, p99 among all, beside an import", .milliseconds, besideImport.map { $0.percentile(99) }),
      Figure("resident, for each client", .kibibytes, perClient, target: .atMost(64)),
    ]
  }

  /// Connects the clients, and waits until each is taken in.
  private static func crowd(at socket: String) throws -> [RawConnection] {
    let clients = try (0..<clientCount).map { _ in try RawConnection(socket) }
    for client in clients { _ = try client.readLine() }
    let observing = clients.prefix(observerCount)
    for client in observing { client.send(#"{"type":"observe","payload":{"stores":["downloads"]}}"# + "\n") }
    for client in observing { _ = try client.readLine() }
    let drain = Thread {
      while observing.map({ $0.discardInput() }).contains(true) { _ = poll(nil, 0, 20) }
    }
    drain.start()
    let page = #"{"type":"snapshot","payload":{"downloads":{"limit":1000}}}"# + "\n"
    for client in clients.suffix(deafCount) {
      client.send(#"{"type":"observe"}"# + "\n")
      while client.send(page) == page.utf8.count {}
    }
    return clients
  }

  private static func percentile99(of line: Line, _ client: RawConnection) throws -> Double {
    try (0..<askCount).map { try milliseconds(of: line, number: $0, client) }.percentile(99)
  }

  private static func milliseconds(of line: Line, number: Int, _ client: RawConnection) throws -> Double {
    let stopwatch = Stopwatch()
    client.send(line.rawValue.replacing("NUMBER", with: "\(number)") + "\n")
    let reply = try client.readLine()
    guard reply.hasSuffix(#""type":"ok"}"#) else { throw MeasurementFailure("refused: \(reply.prefix(300))") }
    return stopwatch.milliseconds
  }

  /// Asks as long as the client on stdin enqueues.
  private static func milliseconds(
    of line: Line, _ client: RawConnection, besideImportInto process: PodfluxProcess
  ) throws -> [Double] {
    let lines = RandomEnqueues.lines(0..<importCount) { "http://\($1):9/\($0)" }
    let before = process.lines.count
    let importer = Thread { try? process.send(bytes: lines) }
    importer.start()
    var answers: [Double] = []
    while process.lines.count < before + importCount {
      answers.append(try milliseconds(of: line, number: answers.count, client))
    }
    try process.checkCreated(importCount, behind: before)
    return answers
  }
}

/// Each client needs a socket.
private func allowManyFiles() {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  // If the system refuses, connecting fails and says so.
  _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
