import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Enqueueing and names", .systemTest)
struct EnqueueTests {
  @Test("Every field has its effect, and headers go to the origin and are never shown")
  func fields() throws {
    let scene = try Scene()
    scene.serve("/x.mp3", length: 10_000)
    let engine = try scene.start()
    let secret = "Bearer 4e7d-secret"
    let reply = try engine.order(
      "downloads/enqueue",
      [
        "url": scene.origin.url("/x.mp3"), "id": "ep:1.a_b-c", "podcast": "Show", "title": "Title",
        "published": "2026-03-01T01:30:00+05:00", "priority": "high", "origin": "auto", "length": 10_000,
        "headers": ["Authorization": secret, "X-Token": "t"],
      ])
    #expect(reply["id"] as? String == "ep:1.a_b-c")
    #expect(reply["created"] as? Bool == true)
    let item = try engine.wait(for: "ep:1.a_b-c", toBe: "completed")
    // The publisher's local day, although it was 28 February in UTC; the file's time is the timestamp.
    #expect(item.path == "Show/2026-03-01 Title.mp3")
    #expect(try scene.modificationTime(of: item.path) == 1_772_310_600)
    #expect(item.json["priority"] as? String == "high")
    #expect(item.json["origin"] as? String == "auto")
    #expect(item.json["podcast"] as? String == "Show")
    #expect(item.json["title"] as? String == "Title")
    let request = try #require(scene.origin.requests.first)
    #expect(request.headers["Authorization"] == secret)
    #expect(request.headers["X-Token"] == "t")
    #expect(request.headers["Accept-Encoding"] == "identity")
    engine.closeInput()
    _ = try engine.waitForEnd()
    #expect(!engine.lines.contains { $0.contains("secret") })
    #expect(!scene.log.contains("secret"))
  }

  @Test("The day in a name survives a restart, and follows the configured time zone")
  func days() throws {
    let scene = try Scene()
    scene.serve("/x.mp3", length: 10_000)
    var engine = try scene.start()
    for (id, title) in [("a", "Theirs"), ("b", "Mine")] {
      let payload: [String: Any] = [
        "url": scene.origin.url("/x.mp3"), "id": id, "title": title, "published": "2026-03-01T01:30:00+05:00",
        "paused": true,
      ]
      try engine.order("downloads/enqueue", payload)
    }
    try engine.order("downloads/update", ["id": "a", "podcast": "Show"])
    engine.signal(SIGKILL)
    _ = try engine.waitForEnd()
    engine = try scene.start()
    try engine.order("downloads/resume", ["id": "a"])
    #expect(try engine.wait(for: "a", toBe: "completed").path == "Show/2026-03-01 Theirs.mp3")
    let refusal = try engine.ask("settings/update", ["nameTimeZone": "Europe/Atlantis"])["payload"] as? [String: Any]
    #expect(refusal?["code"] as? String == "invalid_value")
    #expect(refusal?["path"] as? String == "payload.nameTimeZone")
    try engine.order("settings/update", ["nameTimeZone": "Europe/Vienna", "fileTimes": "downloaded"])
    try engine.order("downloads/resume", ["id": "b"])
    let item = try engine.wait(for: "b", toBe: "completed")
    #expect(item.path == "2026-02-28 Mine.mp3")
    #expect(try scene.modificationTime(of: item.path) > 1_772_310_600)
  }

  @Test("The same id, or the same URL without an id, creates nothing new unless the known one has failed")
  func again() throws {
    let scene = try Scene()
    scene.origin.serve("/gone.mp3", .status(410))
    let engine = try scene.start()
    let url = "http://127.0.0.1:1/a"
    let first = try engine.order("downloads/enqueue", ["url": url, "paused": true])
    let second = try engine.order("downloads/enqueue", ["url": url])
    #expect(second["created"] as? Bool == false)
    #expect(second["id"] as? String == first["id"] as? String)
    let other = try engine.order("downloads/enqueue", ["url": url, "id": "other", "paused": true])
    #expect(other["created"] as? Bool == true)
    let same = try engine.order("downloads/enqueue", ["url": "http://127.0.0.1:1/b", "id": "other"])
    #expect(same["created"] as? Bool == false)
    #expect(try engine.item("other")?.json["url"] as? String == url)

    let gone = try engine.order("downloads/enqueue", ["url": scene.origin.url("/gone.mp3")])
    let id = try #require(gone["id"] as? String)
    try engine.wait(for: id, toBe: "failed")
    #expect(try engine.order("downloads/enqueue", ["url": scene.origin.url("/gone.mp3")])["created"] as? Bool == true)
  }

  @Test(
    "A file's name comes from its title, the origin's suggestion or its URL, and its ending from what the file is",
    arguments: [
      ("/plain.mp3", nil, nil, nil, "plain.mp3"),
      ("/no-ending", nil, "audio/mp4", nil, "no-ending.mp3"),
      ("/x?file=1", nil, "audio/ogg", "attachment; filename=\"Folge 7.mp3\"", "Folge 7.mp3"),
      ("/y", nil, "application/octet-stream", "attachment; filename*=UTF-8''F%C3%B6lge%208.mp3", "Fölge 8.mp3"),
      ("/z", "A/B: \"C\" ..", "audio/mpeg", nil, nil),
      ("/evil", nil, "audio/mpeg", "attachment; filename=\"../../../etc/passwd\"", nil),
      ("/hidden", nil, "audio/mpeg", "attachment; filename=\".bashrc\"", nil),
      ("/nothing", nil, nil, nil, "nothing.mp3"),
    ] as [(String, String?, String?, String?, String?)])
  func names(target: String, title: String?, mediaType: String?, disposition: String?, expected: String?) throws {
    let scene = try Scene()
    var resource = Resource(.audio(length: 5000, seed: 1), mediaType: mediaType)
    resource.headers["Content-Disposition"] = disposition
    scene.origin.serve(target, resource)
    let engine = try scene.start()
    var payload: [String: Any] = ["url": scene.origin.url(target), "id": "a"]
    payload["title"] = title
    try engine.order("downloads/enqueue", payload)
    let item = try engine.wait(for: "a", toBe: "completed")
    let path = try #require(item.path)
    if let expected { #expect(path == expected) }
    #expect(!path.contains("/") && !path.hasPrefix("."))
    #expect(scene.publishedFiles() == [path])
    #expect(scene.hash(of: path) == resource.body.hash)
  }

  @Test(
    "Of bytes that are no known media the announced type decides, and without one the ending says that",
    arguments: [("audio/mp4", "x.m4a"), (nil, "x.bin")] as [(String?, String)])
  func unknownBytes(mediaType: String?, expected: String) throws {
    let scene = try Scene()
    scene.origin.serve("/x", Resource(.stamped(length: 5000, seed: 1), mediaType: mediaType))
    let engine = try scene.start()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/x"), "id": "a"])
    #expect(try engine.wait(for: "a", toBe: "completed").path == expected)
  }

  @Test("Files with the same name are numbered and never replace each other")
  func collisions() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    let count = 12
    for number in 0..<count {
      scene.serve("/\(number).mp3", length: 2000 + number)
      try engine.send(
        line:
          #"{"type":"downloads/enqueue","payload":{"url":"\#(scene.origin.url("/\(number).mp3"))","id":"e\#(number)","title":"Same","podcast":"P"}}"#
      )
    }
    try engine.waitForAcknowledgements(count)
    let items = try engine.waitForAllCompleted()
    let expected = (1...count).map { $0 == 1 ? "P/Same.mp3" : "P/Same (\($0)).mp3" }
    #expect(items.compactMap(\.path).sorted() == expected.sorted())
    for item in items {
      let number = try #require(Int(item.id.dropFirst()))
      let length = 2000 + number
      #expect(scene.hash(of: item.path) == Body.audio(length: length, seed: UInt64(length)).hash)
    }
  }

  @Test(
    "Names that differ in case or normalization only are numbered, their folders are one, and titles lose what disks refuse"
  )
  func caseTwins() throws {
    let scene = try Scene()
    let engine = try scene.startEager()
    let names = [("Show", "\u{C9}t\u{E9}?"), ("SHOW", "e\u{301}t\u{C9}?"), ("show", "\u{E9}t\u{E9}*")]
    for (number, (podcast, title)) in names.enumerated() {
      scene.serve("/\(number).mp3", length: 2000 + number)
      try engine.order(
        "downloads/enqueue",
        ["url": scene.origin.url("/\(number).mp3"), "id": "e\(number)", "podcast": podcast, "title": title])
    }
    let paths = try engine.waitForAllCompleted().compactMap(\.path)
    let folder = try #require(paths.first?.split(separator: "/").first)
    #expect(paths.allSatisfy { $0.hasPrefix(folder + "/") })
    let folded = paths.map { $0.precomposedStringWithCanonicalMapping.lowercased() }
    #expect(Set(folded) == ["show/\u{E9}t\u{E9}-.mp3", "show/\u{E9}t\u{E9}- (2).mp3", "show/\u{E9}t\u{E9}- (3).mp3"])
    let path = ["url": scene.origin.url("/0.mp3"), "path": "SHOW/12:30?.mp3"]
    try engine.order("downloads/enqueue", path.merging(["id": "p"]) { $1 })
    #expect(try engine.wait(for: "p", toBe: "completed").path == "\(folder)/12-30-.mp3")
    try engine.order("settings/update", ["portableNames": false])
    try engine.order("downloads/enqueue", path.merging(["id": "q"]) { $1 })
    #expect(try engine.wait(for: "q", toBe: "completed").path == "SHOW/12:30?.mp3")
  }

  @Test("A client's path is used unchanged; if a file is there the download fails with file_exists")
  func clientPath() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 3000)
    let engine = try scene.start()
    try engine.waitForStartCleanup()
    let payload: [String: Any] = ["url": scene.origin.url("/a.mp3"), "path": "deep/er/x.dat"]
    try engine.order("downloads/enqueue", payload.merging(["id": "a"]) { $1 })
    #expect(try engine.wait(for: "a", toBe: "completed").path == "deep/er/x.dat")
    try engine.order("downloads/enqueue", payload.merging(["id": "b"]) { $1 })
    #expect(try engine.wait(for: "b", toBe: "failed").errorCode == "file_exists")
    try engine.order("downloads/enqueue", payload.merging(["id": "c", "path": "deep"]) { $1 })
    #expect(try engine.wait(for: "c", toBe: "failed").errorCode == "file_exists")
    #expect(scene.publishedFiles() == ["deep/er/x.dat"])

    // Once the path is free, the bytes are still there: only the overlap is fetched again.
    try FileManager.default.removeItem(atPath: scene.library + "/deep/er/x.dat")
    try engine.order("downloads/retry", ["id": "b"])
    try engine.wait(for: "b", toBe: "completed")
  }

  @Test(
    "A path through a link never leaves the library: the download fails with io",
    arguments: ["Show/a.mp3", "Show/x/a.mp3"])
  func linkedFolder(path: String) throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 3000)
    let engine = try scene.start()
    let elsewhere = scene.outside + "/elsewhere"
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: scene.library + "/Show", withDestinationPath: elsewhere)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "path": path])
    #expect(try engine.wait(for: "a", toBe: "failed").errorCode == "io")
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "b", "podcast": "Show"])
    #expect(try engine.wait(for: "b", toBe: "failed").errorCode == "io")
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
  }

  @Test("A link or a folder in the place of a file is not written through")
  func linkedFile() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 3000)
    let engine = try scene.start()
    let target = scene.outside + "/target"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
    try FileManager.default.createSymbolicLink(atPath: scene.library + "/a.mp3", withDestinationPath: target)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    #expect(try engine.wait(for: "a", toBe: "completed").path == "a (2).mp3")
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
  }

  @Test("A link in the place of a partial file is not followed")
  func linkedPartial() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 3000)
    let engine = try scene.start()
    let target = scene.outside + "/target"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
    try FileManager.default.createSymbolicLink(atPath: scene.partialPath("a"), withDestinationPath: target)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    #expect(try engine.wait(for: "a", toBe: "failed").errorCode == "io")
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
  }

  @Test("Names of any length and script fit: 255 bytes a component, NFC, no control characters")
  func longNames() throws {
    let scene = try Scene()
    scene.serve("/a.mp3", length: 3000)
    let engine = try scene.startEager()
    let titles = [
      String(repeating: "ä", count: 500), String(repeating: "👨‍👩‍👧‍👦", count: 40), "e\u{301}te\u{301}", "CON", "...", "  x  ",
    ]
    for (number, title) in titles.enumerated() {
      try engine.order(
        "downloads/enqueue",
        ["url": scene.origin.url("/a.mp3?\(number)"), "id": "t\(number)", "title": title, "podcast": title])
    }
    let items = try engine.waitForAllCompleted()
    #expect(scene.publishedFiles().count == titles.count)
    for path in items.compactMap(\.path) {
      for component in path.split(separator: "/") {
        #expect(component.utf8.count <= 255)
        #expect(!component.hasPrefix(".") && !component.hasSuffix(" "))
        #expect(Array(String(component).precomposedStringWithCanonicalMapping.utf8) == Array(component.utf8))
      }
    }
  }
}
