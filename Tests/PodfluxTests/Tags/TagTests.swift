import Foundation
import ScriptedOrigin
import TagReading
import Testing
import TestScheduling
import TestSupport

@Suite("Tags", .systemTest)
struct TagTests {
  private static let cover = "cover.jpg"

  @Test("A feed's files get tags and a cover, and the row knows what was downloaded and what lies there")
  func formats() throws {
    let scene = try Scene()
    let samples = TagSample.allCases
    let feed = try Self.serve(samples, on: scene)
    try scene.write(TagSample.bytes(of: Self.cover), to: "Night Trains/cover.jpg")
    let engine = try scene.startEager(settings: ["tags": true, "checksum": true])
    let items = try Self.downloadAll(of: feed, samples.count, on: engine)
    for (number, sample) in samples.enumerated() {
      let bytes = try sample.bytes()
      let item = try #require(items.first { $0.json["title"] as? String == "Folge \(number + 1): Ü" })
      let path = try #require(item.path)
      let read = try #require(sample.tags(at: scene.library + "/" + path))
      #expect(read.title == "Folge \(number + 1): Ü")
      #expect(read.album == "Night Trains")
      #expect(read.date == "2026-06-0\(number + 1)")
      #expect(read.track == number + 1)
      #expect(read.pictures == 1)
      if sample != .taggedMP3 { #expect(read.disc == 2 && read.genre == "Podcast") }
      let file = try scene.contents(of: path)
      let tagged = try #require(item.json["tagged"] as? [String: Any], "\(item.json)")
      #expect(item.json["untagged"] is NSNull)
      #expect(item.json["sha256"] as? String == Body.bytes(bytes).hash)
      #expect(tagged["sha256"] as? String == scene.hash(of: path))
      #expect(tagged["length"] as? Int == file.count)
      #expect(item.durable == bytes.count && item.received == bytes.count)
      #expect(try scene.modificationTime(of: path) == 1_780_308_000 + number * 86_400)
    }
    try Self.expectAgreement(scene, engine, items)
  }

  @Test("A file gets its tags also if the engine's parent ignores the ends of children")
  func ignoredChildren() throws {
    // exec(3) keeps that, and the kernel forgot how the tagger had ended: each file was published untagged.
    let scene = try Scene()
    let file = Resource(.bytes(try TagSample.mp3.bytes()), mediaType: "audio/mpeg")
    scene.origin.serve("/a.mp3", .resource(file))
    let engine = try scene.start(launcher: ["/bin/bash", "-c", "trap '' CHLD; exec \"$0\" \"$@\""])
    try engine.order("settings/update", ["tags": true])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "title": "Ü"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(item.json["tagged"] is [String: Any] && item.json["untagged"] is NSNull, "\(item.json)")
  }

  @Test("The first file of a podcast has cover and chapters too, which are fetched for its tags and not kept")
  func material() throws {
    let scene = try Scene()
    // The last one has a picture of its own.
    let samples: [TagSample] = [.mp3, .opus, .m4a, .taggedMP3]
    for (path, file) in [("/show.jpg", "cover.jpg"), ("/own.png", "cover.png")] {
      scene.origin.serve(path, .resource(Resource(.bytes(try TagSample.bytes(of: file)), mediaType: "image/any")))
    }
    let chapters = #"{"version":"1.2.0","chapters":[{"startTime":0,"title":"Ü"},{"startTime":0.5,"title":"Zwei"}]}"#
    scene.origin.serve("/chapters.json", .resource(Resource(.text(chapters), mediaType: "application/json")))
    let feed = try Self.serve(samples, on: scene, image: "/show.jpg") { number in
      // The second one has a picture of its own.
      let picture = number == 1 ? "<itunes:image href=\"\(scene.origin.url("/own.png"))\"/>" : ""
      return picture + "<podcast:chapters url=\"\(scene.origin.url("/chapters.json"))\" type=\"application/json\"/>"
    }
    let engine = try scene.startEager(settings: ["tags": true, "checksum": true])
    let items = try Self.downloadAll(of: feed, samples.count, on: engine)
    for (number, sample) in samples.enumerated() {
      let item = try #require(items.first { $0.json["title"] as? String == "Folge \(number + 1): Ü" })
      let read = try #require(sample.tags(at: scene.library + "/" + (item.path ?? "")))
      let picture = try TagSample.bytes(of: number % 2 == 1 ? "cover.png" : "cover.jpg")
      #expect(read.pictures == 1 && read.firstPictureLength == picture.count)
      #expect(
        read.chapters.map { String($0.split(separator: " ").last ?? "") } == (sample == .m4a ? [] : ["Ü", "Zwei"]))
      #expect(item.json["tagged"] is [String: Any] && item.json["untagged"] is NSNull)
      #expect(item.json["sha256"] as? String == Body.bytes(try sample.bytes()).hash)
    }
    #expect(scene.publishedFiles().count == samples.count, "nothing is kept beside them")
    // What a file has, or cannot show, is not asked for.
    let asked = scene.origin.requests.map(\.path)
    #expect(asked.count { $0 == "/show.jpg" } == 2 && asked.count { $0 == "/own.png" } == 1)
    #expect(asked.count { $0 == "/chapters.json" } == 3)
    try Self.expectAgreement(scene, engine, items)
  }

  @Test("What tags show and sidecars are is asked for once")
  func sidecars() throws {
    let scene = try Scene()
    let chapters = #"{"version":"1.2.0","chapters":[{"startTime":0,"title":"Ü"}]}"#
    let cover = try TagSample.bytes(of: Self.cover)
    scene.origin.serve("/show.jpg", .resource(Resource(.bytes(cover), mediaType: "image/any")))
    scene.origin.serve("/chapters.json", .resource(Resource(.text(chapters), mediaType: "application/json")))
    let feed = try Self.serve([.mp3], on: scene, image: "/show.jpg") { _ in
      "<podcast:chapters url=\"\(scene.origin.url("/chapters.json"))\" type=\"application/json\"/>"
    }
    let engine = try scene.startEager(
      settings: ["tags": true, "sidecars": ["cover", "chapters"], "filenameTemplate": "{podcast}/{title}"])
    _ = try Self.downloadAll(of: feed, 1, on: engine)
    try waitUntil("both sidecars") { scene.publishedFiles().count == 3 }
    #expect(try scene.contents(of: "Night Trains/cover.jpg") == cover)
    #expect(scene.publishedFiles().contains { $0.hasSuffix(".chapters.json") })
    let asked = scene.origin.requests.map(\.path)
    #expect(asked.count { $0 == "/show.jpg" } == 1 && asked.count { $0 == "/chapters.json" } == 1)
  }

  @Test(
    "A file is published with the tags that can be had where pictures and chapters are refused, hostile or no such thing"
  )
  func missingMaterial() throws {
    let scene = try Scene()
    scene.origin.serve("/page", .resource(Resource(.text("<!DOCTYPE html><html></html>"), mediaType: "text/html")))
    let deep = String(repeating: "[", count: 9000)
    scene.origin.serve("/deep.json", .resource(Resource(.text("{\"chapters\":" + deep), mediaType: "application/json")))
    let feed = try Self.serve([.mp3], on: scene, image: "/missing.jpg") { _ in
      "<itunes:image href=\"\(scene.origin.url("/page"))\"/>"
        + "<podcast:chapters url=\"\(scene.origin.url("/deep.json"))\" type=\"application/json\"/>"
    }
    let engine = try scene.startEager(settings: ["tags": true])
    let item = try Self.downloadAll(of: feed, 1, on: engine)[0]
    let read = try #require(TagSample.mp3.tags(at: scene.library + "/" + (item.path ?? "")))
    #expect(read.title == "Folge 1: Ü" && read.pictures == 0 && read.chapters.isEmpty)
    #expect(item.json["tagged"] is [String: Any] && item.json["untagged"] is NSNull)
    for reason in ["neither a JPEG nor a PNG", "no chapters in JSON", "answered 404"] {
      #expect(scene.log.contains(reason), "\(scene.log)")
    }
  }

  @Test("What was tagged is not taken for edited or damaged, and what is edited or damaged then is")
  func changes() throws {
    let scene = try Scene()
    let feed = try Self.serve([.mp3, .m4a], on: scene)
    let engine = try scene.startSettled(settings: ["tags": true, "checksum": true])
    let items = try Self.downloadAll(of: feed, 2, on: engine)
    try engine.order("downloads/verify", ["all": true])
    #expect(try engine.cleanUp(["deep": true]).steps.isEmpty)
    #expect(try engine.items().allSatisfy { $0.state == "completed" && $0.json["modifiedAt"] is NSNull })
    // An edit: what was downloaded stays what it was.
    let path = try #require(items[0].path)
    try scene.write(Array("ID3".utf8) + scene.contents(of: path), to: path)
    try engine.cleanUp(["deep": true])
    let edited = try #require(try engine.items().first { $0.id == items[0].id })
    #expect(edited.state == "completed" && edited.json["modifiedAt"] is String)
    #expect(edited.json["sha256"] as? String == items[0].json["sha256"] as? String)
    #expect((edited.json["tagged"] as? [String: Any])?["sha256"] as? String == scene.hash(of: path))
    #expect(edited.durable == items[0].durable)
    // It is fetched and tagged again.
    try FileManager.default.removeItem(atPath: scene.library + "/" + path)
    try engine.order("downloads/verify", ["id": items[0].id])
    try engine.wait(for: items[0].id, toBe: "failed")
    #expect(try engine.items().first { $0.id == items[0].id }?.json["tagged"] is NSNull)
    try engine.order("downloads/retry", ["id": items[0].id])
    let again = try engine.wait(for: items[0].id, toBe: "completed")
    #expect(again.json["tagged"] is [String: Any])
    #expect(again.json["sha256"] as? String == items[0].json["sha256"] as? String)
  }

  @Test("What cannot be tagged is published as it was downloaded, and its row and the log say why")
  func untagged() throws {
    let scene = try Scene()
    let head = Array("RIFF\u{24}\u{0}\u{0}\u{0}WAVEfmt \u{10}\u{0}\u{0}\u{0}".utf8)
    let bytes = head + [UInt8](repeating: 0, count: 5000)
    scene.origin.serve("/a.wav", .resource(Resource(.bytes(bytes), mediaType: "audio/wav")))
    let engine = try scene.startEager(settings: ["tags": true])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.wav"), "id": "a", "title": "A"])
    // Nothing is known of this one.
    scene.serve("/b.mp3", length: 20_000)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/b.mp3"), "id": "b"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect((item.json["untagged"] as? String)?.contains("format") == true, "\(item.json)")
    #expect(item.json["tagged"] is NSNull)
    #expect(try scene.contents(of: try #require(item.path)) == bytes)
    let plain = try engine.wait(for: "b", toBe: "completed")
    #expect(plain.json["untagged"] is NSNull && plain.json["tagged"] is NSNull)
    #expect(scene.log.contains("published without the tags"))
    #expect(scene.copies().isEmpty)
  }

  @Test("A download of no episode gets its title and podcast, and a name that is taken costs nothing")
  func plainDownload() throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", .resource(Resource(.bytes(try TagSample.mp3.bytes()))))
    try scene.write(Array("another's".utf8), to: "P/T.mp3")
    try scene.write(TagSample.bytes(of: Self.cover), to: "P/cover.jpg")
    let engine = try scene.startEager(settings: ["tags": true])
    try engine.order(
      "downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a", "title": "T", "podcast": "P"])
    let item = try engine.wait(for: "a", toBe: "completed")
    #expect(item.path == "P/T (2).mp3")
    let read = try #require(TagSample.mp3.tags(at: scene.library + "/P/T (2).mp3"))
    #expect((read.title, read.album) == ("T", "P"))
    #expect(read.genre == "" && read.date == "" && read.pictures == 0)
    #expect(item.json["sha256"] is NSNull)
    #expect((item.json["tagged"] as? [String: Any])?["sha256"] is NSNull)
    #expect(scene.partialFiles().isEmpty && scene.copies().isEmpty)
  }

  @Test("Without the setting nothing is tagged")
  func off() throws {
    let scene = try Scene()
    let feed = try Self.serve([.opus], on: scene)
    let engine = try scene.startEager()
    let item = try Self.downloadAll(of: feed, 1, on: engine)[0]
    #expect(item.json["tagged"] is NSNull && item.json["untagged"] is NSNull)
    #expect(try scene.contents(of: try #require(item.path)) == TagSample.opus.bytes())
  }

  @Test("Engines that are killed at any moment publish each file once, tagged as a whole")
  func kills() throws {
    let scene = try Scene()
    let count = 40
    let bodies = (0..<count).map { scene.serve("/\($0).mp3", length: 300_000 + $0) }.map(\.body)
    var engine = try scene.startEager(settings: ["tags": true, "checksum": true, "maxConcurrent": 3])
    for number in 0..<count {
      try engine.order(
        "downloads/enqueue",
        ["id": "d\(number)", "url": scene.origin.url("/\(number).mp3"), "title": "\(number)", "podcast": "Show"])
    }
    for round in 1...8 {
      try engine.waitForDownloads { counts, _ in counts["completed", default: 0] >= round * count / 10 }
      try engine.kill()
      engine = try scene.start()
    }
    let items = try engine.waitForDownloads(upTo: 60) { counts, _ in counts["completed"] == count }.map(Item.init)
    #expect(scene.publishedFiles().count == count)
    for item in items {
      let number = try #require(Int(item.id.dropFirst()))
      #expect(item.json["sha256"] as? String == bodies[number].hash)
      let tagged = try #require(item.json["tagged"] as? [String: Any], "\(item.json)")
      #expect(tagged["sha256"] as? String == scene.hash(of: item.path))
      #expect(TagSample.mp3.tags(at: scene.library + "/" + (item.path ?? ""))?.title == "\(number)")
      // All of the original's audio stands at the end.
      let end = bodies[number].allBytes.suffix(290_000)
      #expect(try scene.contents(of: try #require(item.path)).suffix(290_000) == end)
    }
    try Self.expectAgreement(scene, engine, items)
  }

  // MARK: Scenes

  /// Serves a feed with these files, one a day.
  ///
  /// - Parameters:
  ///   - image: The path of the podcast's cover.
  ///   - more: What else the feed says of the file of a number.
  private static func serve(
    _ samples: [TagSample], on scene: Scene, image: String? = nil, more: (Int) -> String = { _ in "" }
  ) throws -> String {
    let cover = image.map { "<itunes:image href=\"\(scene.origin.url($0))\"/>" } ?? ""
    let types: [TagSample: String] = [.m4a: "audio/mp4", .vorbis: "audio/ogg", .opus: "audio/ogg", .flac: "audio/flac"]
    let items = try samples.enumerated().map { index, sample in
      let type = types[sample] ?? "audio/mpeg"
      scene.origin.serve("/\(sample.rawValue)", .resource(Resource(.bytes(try sample.bytes()), mediaType: type)))
      return """
        <item><guid isPermaLink="false">\(index)</guid><title>Folge \(index + 1): Ü</title>
        <pubDate>0\(index + 1) Jun 2026 10:00:00 +0000</pubDate>
        <itunes:season>2</itunes:season><itunes:episode>\(index + 1)</itunes:episode>
        <enclosure url="\(scene.origin.url("/\(sample.rawValue)"))" type="\(type)" length="1"/>\(more(index))</item>
        """
    }
    let document = """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
       xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>
      <title>Night Trains</title>\(cover)\(items.joined())</channel></rss>
      """
    scene.origin.serve("/feed.xml", .resource(Resource(.text(document), mediaType: "application/rss+xml")))
    return scene.origin.url("/feed.xml")
  }

  private static func downloadAll(of feed: String, _ count: Int, on engine: PodfluxProcess) throws -> [Item] {
    try engine.order("feeds/subscribe", ["url": feed, "id": "show"])
    _ = try engine.waitForFeed("show") { $0["episodes"] as? Int == count }
    try engine.order("episodes/download", ["where": ["feed": "show"]])
    return try engine.waitForDownloads { counts, _ in counts["completed"] == count }.map(Item.init)
  }

  /// Nothing is left, and a deep cleanup finds nothing: neither now nor after another start.
  private static func expectAgreement(_ scene: Scene, _ engine: PodfluxProcess, _ items: [Item]) throws {
    #expect(scene.copies().isEmpty)
    #expect(scene.partialFiles().isEmpty)
    let report = try engine.cleanUp(["deep": true])
    let differences = report.steps.filter { $0.path?.hasSuffix("cover.jpg") != true }
    #expect(differences.isEmpty, "\(differences)")
    try engine.order("downloads/verify", ["all": true])
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)
    let next = try scene.start()
    defer { next.closeInput() }
    let after = try next.items()
    #expect(after.map(\.state) == items.map { _ in "completed" })
    #expect(after.allSatisfy { $0.json["modifiedAt"] is NSNull })
  }
}

extension Scene {
  /// The names of the copies in `.podflux/incoming`.
  fileprivate func copies() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: library + "/.podflux/incoming")) ?? []).sorted()
  }

  /// Writes a file into the library, and makes its folder.
  fileprivate func write(_ bytes: [UInt8], to path: String) throws {
    let place = URL(filePath: library + "/" + path)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: place)
  }

  fileprivate func contents(of path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: library + "/" + path)))
  }
}
