import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

/// The resume policy, against origins and the disk.
@Suite("Resuming", .systemTest)
struct ResumeTests {
  private static let length = 3 << 20
  private static let overlap = 64 << 10
  private static let first = Resource(.audio(length: length, seed: 1), entityTag: .strong("v1"))
  private static let second = Resource(.audio(length: length, seed: 2), entityTag: .strong("v2"))

  @Test("A connection that is cut repeatedly is resumed, and little is fetched twice")
  func cuts() throws {
    let scene = try Scene()
    let cuts = (0..<6).map { _ in Behaviour.resource(Self.first).cutting(afterBytes: 500_000) }
    scene.origin.serve("/a.mp3", script: cuts + [.resource(Self.first)])
    let item = try download(scene, settings: ["maxAttempts": 2])
    #expect(item.discarded == 0)
    #expect(scene.hash(of: item.path) == Self.first.body.hash)
    #expect(scene.origin.totalBodyBytesSent <= Self.length + 6 * Self.overlap)
    for request in scene.origin.requests.dropFirst() {
      #expect(request.rangeHeader != nil)
      #expect(request.headers["If-Range"] == "\"v1\"")
    }
  }

  @Test("A reset connection loses only the bytes on their way")
  func reset() throws {
    let scene = try Scene()
    scene.origin.serve(
      "/a.mp3", script: [Behaviour.resource(Self.first).resetting(afterBytes: 2_000_000), .resource(Self.first)])
    let item = try download(scene)
    #expect(scene.hash(of: item.path) == Self.first.body.hash)
    #expect(item.discarded == 0)
  }

  /// The origin's behaviour for the second request, after the first has been cut in the middle.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let before: Resource
    let after: Resource
    let kind: Kind

    enum Kind {
      /// Another file.
      case different
      /// The same file, but without ranges.
      case sameInWhole
      /// The same file.
      case same
    }

    init(_ name: String, before: Resource = ResumeTests.first, after: Resource, is kind: Kind = .different) {
      (testDescription, self.before, self.after, self.kind) = (name, before, after, kind)
    }
  }

  private static func untagged(_ body: Body, ranges: RangePolicy = .honoured) -> Resource {
    Resource(body, ranges: ranges)
  }

  private static func first(_ ranges: RangePolicy) -> Resource {
    var resource = first
    resource.ranges = ranges
    return resource
  }

  private static let longer = Body.joined([.audio(length: 100_000, seed: 9), first.body])

  static let changes = [
    Change("another version with another ETag", after: second),
    Change("another version although If-Range forbids a 206", after: changed(second, to: .honouredDespiteIfRange)),
    Change("ranges ignored", after: first(.ignored), is: .sameInWhole),
    Change("a range shifted forwards", after: first(.shifted(byBytes: 4096)), is: .sameInWhole),
    Change("a range shifted backwards", after: first(.shifted(byBytes: -4096)), is: .sameInWhole),
    Change("a multipart answer", after: first(.multipart), is: .sameInWhole),
    Change("every range refused", after: first(.refused), is: .sameInWhole),
    Change(
      "another content of the same length, without validators", before: untagged(first.body),
      after: untagged(second.body)),
    Change("another length, without validators", before: untagged(first.body), after: untagged(longer)),
    Change(
      "a shorter version, without validators", before: untagged(first.body), after: untagged(second.body[0..<400_000])),
    Change(
      "the same content, without validators", before: untagged(first.body), after: untagged(first.body), is: .same),
    Change("the same content with a weak ETag", before: weak(first), after: weak(first), is: .same),
  ]

  private static func changed(_ resource: Resource, to ranges: RangePolicy) -> Resource {
    var resource = resource
    resource.ranges = ranges
    return resource
  }

  private static func weak(_ resource: Resource) -> Resource {
    var resource = resource
    resource.entityTag = .weak("v1")
    return resource
  }

  @Test("After any answer to a resume, the file is one version and never a splice", arguments: changes)
  func change(_ change: Change) throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3") { request in
      request.sequence == 0
        ? Behaviour.resource(change.before).cutting(afterBytes: 1_500_000) : .resource(change.after)
    }
    let item = try download(scene)
    #expect(scene.hash(of: item.path) == change.after.body.hash)
    #expect(scene.partialFiles().isEmpty)
    switch change.kind {
    case .different: #expect(item.discarded > 0)
    case .sameInWhole: #expect(item.discarded == 0, "nothing is thrown away that the whole file repeats")
    case .same:
      #expect(item.discarded == 0)
      #expect(scene.origin.totalBodyBytesSent <= Self.length + Self.overlap)
    }
  }

  @Test("A file that changes at each request ends as one of its versions")
  func changingAlways() throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3") { request in
      let number = UInt64(request.sequence)
      let resource = Resource(.audio(length: Self.length, seed: number), entityTag: .strong("\(number)"))
      return request.sequence < 4 ? Behaviour.resource(resource).cutting(afterBytes: 1 << 20) : .resource(resource)
    }
    let item = try download(scene)
    let hashes = scene.origin.requests.map { Body.audio(length: Self.length, seed: UInt64($0.sequence)).hash }
    #expect(hashes.contains(try #require(scene.hash(of: item.path))))
  }

  @Test(
    "Chunked and closing bodies without a length arrive completely",
    arguments: [Framing.chunked, .closing])
  func framing(_ framing: Framing) throws {
    let scene = try Scene()
    scene.origin.serve("/a.mp3", Behaviour.resource(Self.first).framed(framing))
    let item = try download(scene)
    #expect(scene.hash(of: item.path) == Self.first.body.hash)
  }

  @Test("A body that is shorter than its Content-Length is resumed")
  func shortBody() throws {
    let scene = try Scene()
    let lying = Behaviour.resource(Self.first).cutting(afterBytes: 1 << 20)
    scene.origin.serve("/a.mp3", script: [lying, .resource(Self.first)])
    let item = try download(scene)
    #expect(scene.hash(of: item.path) == Self.first.body.hash)
    #expect(scene.origin.requests.count == 2)
  }

  // MARK: The disk between two runs

  /// A change of the partial file while no engine runs.
  enum Damage: String, CaseIterable {
    case none, deleted, emptied, truncated, flippedByte, flippedTail, grown, replacedByOlder
  }

  @Test("After any damage to the partial file between two runs, the file is correct", arguments: Damage.allCases)
  func damage(_ damage: Damage) throws {
    let scene = try Scene()
    let resource = Resource(.audio(length: Self.length, seed: 1), entityTag: .strong("v1"))
    scene.origin.serve("/a.mp3", Behaviour.resource(resource).limited(toBytesPerSecond: 3 << 20))
    // The cleanup at start would correct the row before the attempt checks, if it were faster.
    let engine = try scene.startEager(settings: ["cleanupOnStart": false])
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try engine.order("downloads/pause", ["id": "a"])
    let paused = try engine.wait(for: "a") { $0.state == "paused" && $0.durable == scene.size(ofPartial: "a") }
    try engine.kill()
    try apply(damage, to: scene.partialPath("a"))
    let next = try scene.start()
    try next.order("downloads/resume", ["id": "a"])
    let item = try next.wait(for: "a", toBe: "completed")
    #expect(scene.hash(of: item.path) == resource.body.hash)
    switch damage {
    case .none: #expect(item.discarded == 0)
    // Only the last 64 KiB are hashed and compared: `integrity` must find an earlier changed byte.
    case .grown: break
    default: #expect(item.discarded == paused.durable)
    }
  }

  private func apply(_ damage: Damage, to path: String) throws {
    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    switch damage {
    case .none: return
    case .deleted: return try FileManager.default.removeItem(at: url)
    case .emptied: bytes = Data()
    case .truncated: bytes = bytes.prefix(bytes.count - 1)
    case .flippedByte: bytes[bytes.count - 60_000] ^= 1
    case .flippedTail: bytes[bytes.count - 1] ^= 1
    case .grown: bytes += Data(repeating: 7, count: 200_000)
    case .replacedByOlder: bytes = Data(repeating: 0, count: bytes.count)
    }
    // In place: the file keeps its inode, as when a disk changes it.
    let file = try FileHandle(forWritingTo: url)
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: bytes)
    try file.close()
  }

  // MARK: Resume data

  @Test("Resume data can be imported to another library, and with the partial file nothing is fetched again")
  func resumeData() throws {
    let scene = try Scene()
    let resource = scene.serve("/a.mp3", length: Self.length, bytesPerSecond: 3 << 20)
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    try engine.wait(for: "a") { $0.received > 1 << 20 }
    try engine.order("downloads/pause", ["id": "a"])
    let paused = try engine.wait(for: "a") { $0.state == "paused" && $0.durable == scene.size(ofPartial: "a") }
    let record = try #require(try engine.order("downloads/resumeData", ["id": "a"])["resumeData"] as? String)

    let other = try Scene()
    let first = try other.start()
    for id in ["b", "c"] {
      try first.order(
        "downloads/enqueue",
        ["url": scene.origin.url("/a.mp3?\(id)"), "id": id, "resumeData": record, "paused": true])
    }
    try first.kill()
    try FileManager.default.copyItem(atPath: scene.partialPath("a"), toPath: other.partialPath("b"))
    scene.origin.resetLog()
    let importer = try other.start()
    for (id, expected) in [("b", Self.length - paused.durable + Self.overlap), ("c", Self.length)] {
      try importer.order("downloads/resume", ["id": id])
      let item = try importer.wait(for: id, toBe: "completed")
      #expect(other.hash(of: item.path) == resource.body.hash)
      #expect(scene.origin.totalBodyBytesSent == expected)
      scene.origin.resetLog()
    }
  }

  private func download(_ scene: Scene, settings: [String: Any] = [:]) throws -> Item {
    let engine = try scene.startEager(settings: ["retryMaxSeconds": 1].merging(settings) { $1 })
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    return try engine.wait(for: "a", toBe: "completed", upTo: 30)
  }
}
