import TestSupport

/// The time of a start with nothing to resume.
struct StartScenario: Scenario {
  let name = "start"
  let abstract = "a new library and an empty one: from spawn to engine/ready"

  func measure(_ bench: Bench) throws -> [Figure] {
    var (new, empty, resident): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<bench.runs {
      try bench.folder.withFolder { folder in
        let (first, firstSeconds) = try PodfluxProcess.started(library: folder + "/library")
        _ = try first.drain(upTo: 10)
        let (second, secondSeconds) = try PodfluxProcess.started(library: folder + "/library")
        resident.append(try ProcessReading(second).residentBytes.mebibytes)
        _ = try second.drain(upTo: 10)
        new.append(firstSeconds * 1000)
        empty.append(secondSeconds * 1000)
      }
    }
    return [
      Figure("new library", .milliseconds, new),
      Figure("empty library", .milliseconds, empty, target: .atMost(200)),
      Figure("resident when ready", .mebibytes, resident),
    ]
  }
}
