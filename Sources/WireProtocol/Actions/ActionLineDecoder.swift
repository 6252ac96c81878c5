import Flux
import Foundation
import PodfluxCore

/// Reads the lines that `LineEncoder.action` and its like have written: a journal's, or those of an observed engine.
///
/// Strict as for clients' lines: what is not understood is refused as a whole, with the first fault that was found.
package struct ActionLineDecoder: Sendable {
  /// The longest line, in bytes, without its line feed: a portion of a cleanup's steps with the longest paths. A
  /// client's line comes back hardly longer than it was sent.
  package static let maximumLineBytes = 16 << 20

  /// Makes a decoder; it keeps nothing from line to line.
  package init() {}

  /// Reads one line without its line feed. Cost: linear in its length.
  package func decode(_ line: [UInt8]) throws(Refusal) -> JournalLine {
    guard line.count <= Self.maximumLineBytes else {
      throw Refusal(.lineTooLong, "the line is longer than \(Self.maximumLineBytes) bytes")
    }
    guard LineSeal.verdict(on: line) == .intact else {
      throw Refusal(.invalidLine, "it is not what its checksum says, or cut off")
    }
    let line = LineSeal.contents(of: line)
    var reader = JSONReader(line)
    let document = reader.readDocument()
    if let fault = document.fault { throw fault }
    let fields = try Fields(document.object, at: "", knowing: ["meta", "payload", "type"])
    let type = try fields.required("type").string()
    guard !Self.remarks.contains(type) else { return .remark }
    let stamp = try LineStamp(fields.required("meta"))
    let payload = try fields.required("payload").object()
    switch type {
    case JournalLine.Part.opened.lineType: return .journal(.opened, of: try .init(payload), stamp)
    case JournalLine.Part.continued.lineType: return .journal(.continued, of: try .init(payload), stamp)
    case JournalLine.endType: return .end(stamp)
    default: break
    }
    if let form = ActionForm.fact(type) { return .action(try form.action(payload, line: line), stamp) }
    return .action(.intent(try Self.intent(type, document.object)), stamp)
  }

  /// What follows from other lines, and changes nothing when they are read again.
  private static let remarks: Set<String> = [
    "downloads/started", "downloads/waiting", "downloads/removed", "downloads/progressed",
  ]

  /// Reads what clients send.
  private static func intent(_ type: String, _ line: JSONObject) throws(Refusal) -> Intent {
    var unstamped = JSONObject()
    for member in line.members where member.key != "meta" { _ = unstamped.insert(member.value, for: member.key) }
    guard case .intent(let intent) = try Request(Envelope(unstamped)) else {
      throw Refusal(.unknownAction, "\"\(type.clipped)\" is a question and changes nothing", path: "type")
    }
    return intent
  }
}

extension LineStamp {
  /// The valid numbers of a log. They end below Int64.max, so that every number has a successor.
  private static let numbers: ClosedRange<Int64> = 0...(1 << 62)

  fileprivate init(_ meta: Field) throws(Refusal) {
    let fields = try Fields(meta.object(), at: "meta", knowing: ["revision", "sequence", "time"])
    self.init(
      revision: try fields.required("revision").integer(in: Self.numbers),
      sequence: try fields.required("sequence").integer(in: Self.numbers), time: try fields.required("time").moment())
  }
}

extension JournalLine.Engine {
  fileprivate init(_ payload: JSONObject) throws(Refusal) {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["library", "seed", "version"])
    let field = try fields.required("seed")
    let digits = try field.string()
    guard digits.utf8.count == Self.seedDigits, let seed = UInt64(digits, radix: 16) else {
      throw field.mustBe("\(Self.seedDigits) hexadecimal digits")
    }
    self.init(
      seed: seed, version: try fields.required("version").string(), library: try fields.required("library").string())
  }
}
