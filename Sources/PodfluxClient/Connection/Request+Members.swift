import PodfluxCore
import WireProtocol

extension Request {
  /// A request of these members, checked as the engine checks a client's line.
  ///
  /// - Throws: `EngineRefusal`, as an engine would answer.
  package init(_ type: String, _ payload: [(key: String, value: JSONValue)]) throws(EngineRefusal) {
    let members = [
      JSONObject.Member(key: "payload", value: .object(JSONObject(payload.map(JSONObject.Member.init)))),
      JSONObject.Member(key: "type", value: .string(type)),
    ]
    do throws(Refusal) {
      self = try LineDecoder().decode(JSONObject(members).line, number: 1).content.get()
    } catch {
      throw EngineRefusal(code: error.code.rawValue, message: error.message, path: error.path)
    }
  }
}
