import PodfluxCore
import WireProtocol

/// A line that an engine has sent.
package enum EngineLine: Sendable {
  /// The first line.
  case ready(library: String?, revision: Int64)
  /// A request was carried out.
  case ok(JSONObject, id: Int64?, revision: Int64?)
  /// A request was refused.
  case refused(EngineRefusal, id: Int64?)
  /// Something has changed.
  case state(JSONObject)
  /// An action is committed, or a running attempt tells how far it is.
  case action(type: String, JSONObject)
  /// The last line.
  case stopped(reason: String)

  /// Reads a line without its line feed.
  package init(_ line: [UInt8]) throws(MalformedLine) {
    let object: JSONObject
    do throws(Refusal) {
      object = try JSONObject(line: line)
    } catch {
      throw MalformedLine(error.message)
    }
    let type = try object.required("type", JSONObject.string)
    let payload = try object.object("payload") ?? JSONObject()
    let meta = try object.object("meta")
    switch type {
    case "engine/ready":
      self = .ready(library: try payload.string("library"), revision: try payload.integer("revision") ?? 0)
    case "engine/stopped": self = .stopped(reason: try payload.string("reason") ?? "")
    case "ok": self = .ok(payload, id: try meta?.integer("id"), revision: try meta?.integer("revision"))
    case "error": self = .refused(try EngineRefusal(payload), id: try meta?.integer("id"))
    case "state": self = .state(payload)
    default: self = .action(type: type, payload)
    }
  }

  /// The payload of an `ok`; throws for any other line.
  var okPayload: JSONObject {
    get throws(MalformedLine) {
      guard case .ok(let payload, _, _) = self else { throw MalformedLine("the line is no reply") }
      return payload
    }
  }
}

/// Why an engine has not carried out a request.
package struct EngineRefusal: Error, Hashable, CustomStringConvertible {
  /// The code as it came: a later engine may have others.
  package let code: String
  package let message: String
  package let path: String?

  package init(code: String, message: String, path: String? = nil) {
    (self.code, self.message, self.path) = (code, message, path)
  }

  init(_ payload: JSONObject) throws(MalformedLine) {
    code = try payload.required("code", JSONObject.string)
    message = try payload.string("message") ?? ""
    path = try payload.string("path")
  }

  package var description: String { message }

  package func `is`(_ code: Refusal.Code) -> Bool { self.code == code.rawValue }
}
