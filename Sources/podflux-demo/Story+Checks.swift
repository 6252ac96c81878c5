import Foundation
import ScriptedOrigin
import TestSupport

/// The checks after the demo. They rely on the server's log and content, not on the engine.
extension Story {
  /// How many bytes at the end of the kept ones an engine requests again for comparison: `ResumeRecord.overlap` of the
  /// engine.
  private static let overlapBytes = 64 * 1024

  /// The most bytes of a download on the disk before its first checkpoint: those of a quarter of a second.
  private static let firstWriteBytes = 256 * 1024

  func verify(
    _ last: LibrarySnapshot, after wreck: Wreck, _ ending: PodfluxProcess.Ending
  ) throws -> Checklist {
    var checklist = Checklist()
    checklist.add("SIGKILL ended the first engine", wreck.signal == SIGKILL)
    checkMemory(of: wreck, &checklist)
    checkTraffic(after: wreck, &checklist)
    checklist.add("the second engine drained its queue and exited 0", ending.status == EXIT_SUCCESS)
    checklist.add(
      "all \(episodes.count) downloads are completed", last.counts == Self.allCompleted(episodes.count))
    checklist.add("no kept byte was ever thrown away", last.items.allSatisfy { $0.discarded == 0 })
    for episode in episodes {
      checkFile(of: episode, last.items.first { $0.id == episode.id }, &checklist)
    }
    try checkFolder(last.items, &checklist)
    return checklist
  }

  /// Everything acknowledged before the SIGKILL must be there after it.
  private func checkMemory(of wreck: Wreck, _ checklist: inout Checklist) {
    let ids = Set(wreck.snapshot.items.map(\.id))
    checklist.add(
      "every acknowledged download outlived it, in the order of the queue",
      wreck.snapshot.items.map(\.id) == episodes.map(\.id) && ids.count == episodes.count)
    let paused = wreck.snapshot.items.first { $0.id == Catalogue.pausedID }
    checklist.add(
      "the paused one was still paused, with \(Self.inBytes(paused?.durable ?? 0))",
      paused?.state == "paused" && (paused?.durable ?? 0) > 0)
  }

  /// The requests of the second engine.
  private func checkTraffic(after wreck: Wreck, _ checklist: inout Checklist) {
    let snapshot = origin.snapshot
    let later = snapshot.requests.dropFirst(wreck.requestCount)
    let files = episodes.reduce(0) { $0 + $1.length }
    let completed = Set(wreck.completed.map { "/" + $0.id })
    let fromZero = episodes.reduce(0) { completed.contains($1.urlPath) ? $0 : $0 + $1.length }
    let continued = wreck.partials.filter { id, _ in later.contains { $0.path == "/" + id && $0.rangeHeader != nil } }
    let kept = continued.values.reduce(0, +)
    let overlaps = continued.values.reduce(0) { $0 + min($1, Self.overlapBytes) }
    let served = snapshot.totalBodyBytesSent - wreck.bytesServed
    sayCost(files: files, wreck, served: served, fromZero: fromZero)

    checklist.add(
      "none of the \(completed.count) files that were complete was asked for again",
      !later.contains { completed.contains($0.path) })
    checklist.add(
      "each of the \(continued.count) interrupted downloads went on with one Range request (206)",
      wreck.partials.allSatisfy { id, length in
        // The first bytes count only once the row has the version of their file.
        guard continued[id] != nil else { return length <= Self.firstWriteBytes }
        let requests = later.filter { $0.path == "/" + id }
        return requests.count == 1 && requests[0].status == 206
          && requests[0].rangeHeader == "bytes=\(max(0, length - Self.overlapBytes))-"
      })
    checklist.add(
      "what was fetched twice is the 64 KiB overlap of each, for comparison, and no byte more",
      served == fromZero - kept + overlaps)
  }

  private func sayCost(files: Int, _ wreck: Wreck, served: Int, fromZero: Int) {
    screen.announce("What the SIGKILL cost")
    screen.say("  all files               \(Self.exact(files))")
    screen.say("  served before it        \(Self.exact(wreck.bytesServed))")
    screen.say("  served after it         \(Self.exact(served))")
    screen.say("  a start from zero       \(Self.exact(fromZero))   (every unfinished file again)")
    screen.say("  not fetched again       \(Self.exact(fromZero - served))")
    screen.say()
  }

  /// A byte count, padded to a column.
  private static func exact(_ bytes: Int) -> String {
    let digits = String(bytes)
    return String(repeating: " ", count: max(0, 10 - digits.count)) + digits + " bytes"
  }

  // MARK: Files

  private func checkFile(of episode: Episode, _ item: Item?, _ checklist: inout Checklist) {
    guard let path = item?.path else { return checklist.add("“\(episode.title)” has a file", false) }
    let expected = MessageDigest.text(of: episode.resource.body.digest())
    let found = FileManager.default.contents(atPath: library + "/" + path)
      .map { MessageDigest.digestText(of: $0) }
    checklist.add("sha256 \(expected.prefix(12))… \(path)", found == expected)
  }

  private func checkFolder(_ items: [Item], _ checklist: inout Checklist) throws {
    let found = try FileManager.default.subpathsOfDirectory(atPath: library)
    let isFolder = { (path: String) in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: self.library + "/" + path, isDirectory: &isFolder)
        && isFolder.boolValue
    }
    let published = found.filter { !$0.hasPrefix(".podflux") && !isFolder($0) }
    checklist.add(
      "the library holds these files and no others, and no partial file is left",
      Set(published) == Set(items.compactMap(\.path)) && !found.contains { $0.hasPrefix(".podflux/partial/") })
  }

  private static func allCompleted(_ count: Int) -> [String: Int] {
    ["completed": count, "failed": 0, "paused": 0, "queued": 0, "running": 0, "waiting": 0]
  }
}
