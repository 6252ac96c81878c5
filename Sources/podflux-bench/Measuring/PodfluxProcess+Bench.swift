import TestSupport

extension PodfluxProcess {
  /// Starts a child and waits until it is ready; the time includes the spawn.
  static func started(
    library: String, arguments: [String] = []
  ) throws -> (process: PodfluxProcess, seconds: Double) {
    let stopwatch = Stopwatch()
    let process = try PodfluxProcess(library: library, arguments: arguments)
    try process.waitUntilReady()
    return (process, stopwatch.seconds)
  }

  /// Starts concurrent transfers, numbered from 0, and waits until all receive.
  func beginTransfers(
    _ count: Int, perHost: Int? = nil, settings: [String: Any] = [:], url: (_ number: Int) -> String
  ) throws {
    let limits: [String: Any] = ["maxConcurrent": count, "maxPerHost": perHost ?? count]
    try order("settings/update", settings.merging(limits) { $1 })
    for number in 0..<count {
      try order("downloads/enqueue", ["id": "\(number)", "url": url(number)])
    }
    try waitForDownloads { _, items in items.count { $0["phase"] as? String == "receiving" } == count }
  }

  /// Sends a line whose `meta.id` is the given number, and returns the time until its `ok`, in milliseconds.
  func roundTripMilliseconds(_ type: String, payload: String, number: Int) throws -> Double {
    let stopwatch = Stopwatch()
    try send(line: #"{"type":"\#(type)","payload":\#(payload),"meta":{"id":\#(number)}}"#)
    // Keys are sorted: the reply begins with `meta`, whose first key is `id`.
    let reply = try wait(for: "the reply to \(type)") { $0.hasPrefix(#"{"meta":{"id":\#(number),"#) }
    let milliseconds = stopwatch.milliseconds
    guard reply.hasSuffix(#""type":"ok"}"#) else {
      throw MeasurementFailure("\(type) was refused: \(reply.prefix(300))")
    }
    return milliseconds
  }

  /// Throws unless so many lines behind the first ones say that a download was created.
  func checkCreated(_ count: Int, behind first: Int = 0) throws {
    let created = lines.dropFirst(first).count { $0.utf8.count < 1000 && $0.contains(#""created":true"#) }
    guard created == count else { throw MeasurementFailure("only \(created) of \(count) lines were carried out") }
  }

  /// Ends the input of a child that has only downloads left, and waits for its end.
  func drain(upTo seconds: Double) throws -> Ending {
    closeInput()
    let ending = try waitForEnd(upTo: seconds)
    guard ending.status == 0 else { throw MeasurementFailure("podflux ended with \(ending)") }
    return ending
  }

  /// Stops a child with SIGTERM.
  func terminate() throws {
    signal(15)
    let ending = try waitForEnd()
    guard ending.status == 0 else { throw MeasurementFailure("podflux ended with \(ending)") }
    closeInput()
  }
}
