import Flux
import Foundation
import PodfluxCore
import TestSupport
import Testing

@testable import WireProtocol

@Suite("The line of a committed action")
struct ActionLineTests {
  private static let stamp = LineStamp(
    revision: 3, sequence: 7, time: Timestamp(milliseconds: 1_795_230_000_007))

  @Test("reads back as the action that it was written for", arguments: 0..<RandomActions.kinds)
  func roundTrip(kind: Int) throws {
    let seed = try SeededRandom.seed()
    var actions = RandomActions(random: SeededRandom(seed: seed &+ UInt64(kind)))
    for _ in 0..<200 {
      let action = actions.action(kind)
      // As a journal has it: what clients see has no offsets.
      let line = Self.line(sealing: true) { $0.action(action, at: Self.stamp) }
      let read = try Result { try ActionLineDecoder().decode(Array(line.utf8)) }
        .mapError { Failure(seed: seed, line: line, reason: "\($0)") }.get()
      #expect(read == .action(action, Self.stamp), "seed \(seed): \(line)")
    }
  }

  @Test("has sorted keys and no line feed in it")
  func sorted() throws {
    var actions = RandomActions(random: SeededRandom(seed: try SeededRandom.seed()))
    for kind in 0..<RandomActions.kinds {
      for _ in 0..<20 {
        let line = Self.line { $0.action(actions.action(kind), at: Self.stamp) }
        #expect(!line.contains("\n"))
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        let sorted = try Self.sortedText(object)
        // Foundation sorts without regard to case: these two the other way round.
        let pair = ["fileTimes", "filenameTemplate"]
        let (own, other) = (Self.keys(in: line), Self.keys(in: sorted))
        #expect(own.filter { !pair.contains($0) } == other.filter { !pair.contains($0) }, "\(line)")
        #expect(own.filter(pair.contains) == other.filter(pair.contains).sorted(), "\(line)")
      }
    }
  }

  @Test("holds what clients know of the protocol")
  func examples() {
    let id = Samples.id("ep-1")
    let attempt = AttemptID(download: id, generation: 5)
    let file = PublishedFile(path: Self.path("Show/a.mp3"), length: 9, inode: 42)
    let written = Self.lines {
      $0.action(.downloads(.pause(.many([id]))), at: Self.stamp)
      $0.action(.downloads(.remove(.all, deletingFile: false)), at: Self.stamp)
      $0.action(.downloads(.remove(.one(id), deletingFile: true)), at: Self.stamp)
      $0.action(.attempt(.init(attempt: attempt, news: .finished(file))), at: Self.stamp)
      $0.action(
        .attempt(.init(attempt: attempt, news: .restarting(discarding: 8, because: .contentChanged))), at: Self.stamp)
      $0.action(.filters(.selectGroup(nil)), at: Self.stamp)
      $0.announcement(.init(sequence: 7, event: .started(attempt)), revision: 3, time: Self.stamp.time)
      $0.announcement(
        .init(
          sequence: 7,
          event: .waiting(
            id, .retry(at: Self.stamp.time, after: .init(.httpStatus, "the server says 503", status: 503)))),
        revision: 3, time: Self.stamp.time)
      $0.announcement(.init(sequence: 7, event: .removed(id)), revision: 3, time: Self.stamp.time)
      $0.announcement(.init(sequence: 7, event: .removed(id, deleting: file)), revision: 3, time: Self.stamp.time)
      $0.journal(.opened, of: .init(seed: 255, version: "1.0.0", library: "/srv/l"), at: Self.stamp)
    }
    let meta = #"{"meta":{"revision":3,"sequence":7,"time":"2026-11-21T03:00:00.007Z"},"payload":"#
    #expect(
      written == [
        meta + #"{"ids":["ep-1"]},"type":"downloads/pause"}"#,
        meta + #"{"all":true,"deleteFile":false},"type":"downloads/remove"}"#,
        meta + #"{"deleteFile":true,"id":"ep-1"},"type":"downloads/remove"}"#,
        meta + #"{"attempt":5,"file":{"inode":"42","length":9,"path":"Show/a.mp3"},"id":"ep-1"},"#
          + #""type":"downloads/finished"}"#,
        meta + #"{"attempt":5,"because":"content_changed","discarded":8,"id":"ep-1"},"type":"downloads/restarted"}"#,
        meta + #"{"group":null},"type":"filters/selectGroup"}"#,
        meta + #"{"attempt":5,"id":"ep-1"},"type":"downloads/started"}"#,
        meta
          + #"{"detail":{"until":"2026-11-21T03:00:00.007Z"},"error":{"code":"http_status","message":"the server says 503","status":503},"id":"ep-1","#
          + #""reason":"retry","until":"2026-11-21T03:00:00.007Z"},"type":"downloads/waiting"}"#,
        meta + #"{"id":"ep-1"},"type":"downloads/removed"}"#,
        meta + #"{"file":{"length":9,"path":"Show/a.mp3"},"id":"ep-1"},"type":"downloads/removed"}"#,
        meta + #"{"library":"/srv/l","seed":"00000000000000ff","version":"1.0.0"},"type":"engine/opened"}"#,
      ])
  }

  @Test("holds no secret, and reads back without them")
  func secrets() throws {
    var enqueue = DownloadIntent.Enqueue(
      address: try WebAddress("https://user:s3cret@example.org/a.mp3?auth=s3cret&n=1"))
    enqueue.description.mirrors = [try WebAddress("http://token-s3cret@mirror.example/a.mp3")]
    enqueue.description.headers = [Header(name: "Authorization", value: "Bearer s3cret")]
    enqueue.resume = Samples.record
    enqueue.resume?.url = "https://user:s3cret@example.org/a.mp3?auth=s3cret&n=1"
    var update = DownloadIntent.Update()
    update.headers = [Header(name: "Cookie", value: "s3cret"), Header(name: "Accept", value: "s3cret")]
    update.address = enqueue.address
    update.mirrors = enqueue.description.mirrors
    let kept = try #require(enqueue.resume)
    let actions: [Action] = [
      .downloads(.enqueue(enqueue)), .downloads(.update(Samples.id("a"), update)),
      .attempt(.init(attempt: .init(download: Samples.id("a"), generation: 1), news: .checkpoint(kept))),
    ]
    for action in actions {
      let line = Self.line { $0.action(action, at: Self.stamp) }
      let pieces = try Self.texts(in: JSONSerialization.jsonObject(with: Data(line.utf8)))
      let opened = pieces + pieces.compactMap { Data(base64Encoded: $0).map { String(decoding: $0, as: UTF8.self) } }
      #expect(!opened.contains { $0.contains("s3cret") }, "\(line)")
      #expect(opened.contains { $0.contains("example.org/a.mp3") })
      guard case .action = try ActionLineDecoder().decode(Array(line.utf8)) else {
        Issue.record("\(line) reads back as something else")
        continue
      }
    }
  }

  @Test("is refused with its fault if it is none")
  func faults() {
    let meta = #""meta":{"revision":3,"sequence":7,"time":"2026-11-21T03:00:00.007Z"}"#
    let bad: [(String, Refusal.Code, String?)] = [
      (#"{"type":"engine/timeCame","payload":{}}"#, .invalidLine, nil),
      (#"{\#(meta),"type":"engine/timeCame"}"#, .missingField, "payload"),
      (#"{\#(meta),"type":"engine/timeCame","payload":{"x":1}}"#, .unknownField, "payload.x"),
      (#"{\#(meta),"type":"nothing/known","payload":{}}"#, .unknownAction, "type"),
      (#"{\#(meta),"type":"snapshot","payload":{}}"#, .unknownAction, "type"),
      (#"{\#(meta),"type":"downloads/deleted","payload":{"deletion":-1}}"#, .invalidValue, "payload.deletion"),
      (
        #"{\#(meta),"type":"cleanup/looked","payload":{"run":1,"news":"found","steps":[{}]}}"#, .invalidValue,
        "payload.steps"
      ),
      (
        #"{\#(meta),"type":"downloads/stopped","payload":{"id":"a","attempt":1,"resumeData":"e30="}}"#, .invalidValue,
        "payload.resumeData"
      ),
      (
        #"{\#(meta),"type":"engine/opened","payload":{"library":"","seed":"ff","version":""}}"#, .invalidValue,
        "payload.seed"
      ),
      (#"{"meta":{"revision":3},"type":"engine/timeCame","payload":{}}"#, .missingField, "meta.sequence"),
      ("{", .invalidLine, nil), (#"{"meta":{"#, .invalidJSON, nil),
    ]
    for (line, code, path) in bad {
      let refusal = #expect(throws: Refusal.self) { try ActionLineDecoder().decode(Array(line.utf8)) }
      #expect(refusal?.code == code, "\(line)")
      #expect(refusal?.path == path, "\(line)")
    }
  }

  @Test("that only tells what follows from others is no action")
  func remarks() throws {
    let attempt = AttemptID(download: Samples.id("a"), generation: 5)
    let line = Self.line {
      $0.announcement(.init(sequence: 7, event: .started(attempt)), revision: 3, time: Self.stamp.time)
    }
    #expect(try ActionLineDecoder().decode(Array(line.utf8)) == .remark)
  }

  // MARK: Helpers

  struct Failure: Error {
    var seed: UInt64
    var line: String
    var reason: String
  }

  private static func path(_ text: String) -> LibraryPath {
    guard let path = try? LibraryPath(validating: text) else { preconditionFailure("\(text) is no path") }
    return path
  }

  static func line(sealing isSealing: Bool = false, _ write: (inout LineEncoder) -> Void) -> String {
    lines(sealing: isSealing, write).first ?? ""
  }

  static func lines(sealing isSealing: Bool = false, _ write: (inout LineEncoder) -> Void) -> [String] {
    var encoder = LineEncoder(sealing: isSealing)
    write(&encoder)
    let text = String(decoding: encoder.bytes, as: UTF8.self)
    return text.unicodeScalars.split(separator: "\n").map { String($0) }
  }

  private static func sortedText(_ object: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
  }

  /// The keys of a text of JSON, in order.
  private static func keys(in text: String) -> [String] {
    text.matches(of: /"([A-Za-z0-9_\-]+)":/).map { String($0.1) }
  }

  private static func texts(in value: Any) -> [String] {
    switch value {
    case let text as String: [text]
    case let values as [Any]: values.flatMap(texts)
    case let object as [String: Any]: object.values.flatMap(texts)
    default: []
    }
  }
}

extension LineEncoder {
  fileprivate mutating func action(_ action: Action, at stamp: LineStamp) {
    self.action(action, sequence: stamp.sequence, revision: stamp.revision, time: stamp.time)
  }
}
