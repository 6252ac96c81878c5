import Flux
import PodfluxCore

/// The stream of actions, and the journal (the article Protocol): a line for each committed action, in the very form in
/// which clients send theirs.
///
/// Secrets are blanked: the values of headers, and users and passwords in URLs, those of resume records included. A
/// line can be read back all the same. What is lost so: a replay tells two URLs apart only if they differ in something
/// else than user and password, and headers come back in the order of their names.
extension LineEncoder {
  /// An action is committed, or about to be. Of a reading, which is never committed, nothing is written.
  package mutating func action(_ action: Action, sequence: Int64, revision: Int64, time: Timestamp) {
    guard !action.isReading else { return }
    begin(LineStamp(revision: revision, sequence: sequence, time: time))
    if case .intent(.downloads(.enqueue(var enqueue))) = action {
      // The most frequent line of all: without the copies that an action in return costs.
      enqueue.exchange(with: &writer)
    } else {
      _ = action.exchanged(with: &writer)
    }
    end(writer.lineType)
  }

  /// Writes the line of an event that has followed from a committed action.
  package mutating func announcement(_ announcement: Announcement, revision: Int64, time: Timestamp) {
    stamped(
      announcement.event.lineType,
      LineStamp(revision: revision, sequence: announcement.sequence, time: time)
    ) { $0.members(of: announcement.event) }
  }

  /// A running attempt tells how far it is: a reading, without a number.
  package mutating func progressed(_ id: DownloadID, _ live: LiveAttempt, revision: Int64, time: Timestamp) {
    writer.object { line in
      line.object("meta") { meta in
        meta.member("revision", revision)
        meta.member("time", time)
      }
      line.object("payload") { payload in
        payload.member("id", id.description)
        payload.member("phase", live.phase.name)
        payload.member("rate", live.rate)
        payload.member("received", live.received)
      }
      line.member("type", "downloads/progressed")
    }
    writer.endLine()
  }

  /// An engine begins to write a journal, or goes on in another file of it.
  package mutating func journal(_ part: JournalLine.Part, of engine: JournalLine.Engine, at stamp: LineStamp) {
    stamped(part.lineType, stamp) { payload in
      payload.member("library", engine.library)
      payload.member("seed", Self.hexadecimal(engine.seed))
      payload.member("version", engine.version)
    }
  }

  /// An engine has ended as it should: everything before this line is committed.
  package mutating func journalEnd(at stamp: LineStamp) {
    stamped(JournalLine.endType, stamp) { _ in }
  }

  private mutating func stamped(
    _ type: String, _ stamp: LineStamp, _ writePayload: (inout JSONWriter) -> Void
  ) {
    begin(stamp)
    writePayload(&writer)
    end(type)
  }

  private mutating func begin(_ stamp: LineStamp) {
    let frame: LineFrame
    if let last = self.frame, last.revision == stamp.revision, last.time == stamp.time {
      frame = last
    } else {
      frame = LineFrame(stamp)
      self.frame = frame
    }
    lineStart = writer.bytes.count
    guard isSealing else { return writer.begin(frame.head, stamp.sequence, frame.tail) }
    writer.beginSealed()
    // The seal has the brace.
    writer.begin(frame.head.dropFirst(), stamp.sequence, frame.tail)
  }

  private mutating func end(_ type: String) {
    writer.endObject()
    writer.member("type", type)
    writer.endObject()
    if isSealing { writer.seal(from: lineStart) }
    writer.endLine()
  }

  private static func hexadecimal(_ seed: UInt64) -> String {
    let digits = String(seed, radix: 16)
    return String(repeating: "0", count: JournalLine.Engine.seedDigits - digits.utf8.count) + digits
  }
}

extension Announcement.Event {
  fileprivate var lineType: String {
    switch self {
    case .started: "downloads/started"
    case .waiting, .blocked: "downloads/waiting"
    case .removed: "downloads/removed"
    }
  }
}

/// How all lines of a turn begin, but for the number of the action.
struct LineFrame: Sendable {
  let revision: Int64
  let time: Timestamp
  /// What stands before the number.
  let head: [UInt8]
  /// What stands behind it, up to the payload's members.
  let tail: [UInt8]

  init(_ stamp: LineStamp) {
    (revision, time) = (stamp.revision, stamp.time)
    var writer = JSONWriter()
    writer.member("time", stamp.time)
    head = Array(#"{"meta":{"revision":\#(stamp.revision),"sequence":"#.utf8)
    tail = Array(",".utf8) + writer.bytes + Array(#"},"payload":{"#.utf8)
  }
}
