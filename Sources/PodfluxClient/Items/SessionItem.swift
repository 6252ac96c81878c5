import Flux
import PodfluxCore
import WireProtocol

/// A session as the engine shows it.
package struct SessionItem: ListItem, Hashable, Sendable {
  package let id: String
  package let hosts: [String]
  package let kind: Session.Kind?
  package let state: SessionState.Kind?
  package let since: Timestamp?
  package let expires: Timestamp?
  package let error: Failure?
  package let json: JSONObject

  package init(_ json: JSONObject) throws(MalformedLine) {
    id = try json.required("id", JSONObject.string)
    hosts = try json.strings("hosts")
    kind = try json.choice("kind")
    state = try json.choice("state")
    since = try json.moment("since")
    expires = try json.moment("expires")
    error = try Failure(member: "error", of: json)
    self.json = json
  }
}
