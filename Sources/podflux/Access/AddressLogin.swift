import Foundation
import PodfluxClient
import PodfluxCore
import WireProtocol

/// A login in a feed's address. It becomes a session, so that it is there for the episodes too, and its password is in
/// the vault.
struct AddressLogin {
  /// The address without it.
  let url: String
  private let user: String
  private let password: String

  /// Nil if an address has no user, or no password.
  init?(in address: String) {
    guard var parts = URLComponents(string: address), let user = parts.user, !user.isEmpty,
      let password = parts.password, !password.isEmpty
    else { return nil }
    (parts.user, parts.password) = (nil, nil)
    guard let url = parts.string else { return nil }
    (self.url, self.user, self.password) = (url, user, password)
  }

  /// The member `auth` of a payload.
  var ofRequests: [(key: String, value: JSONValue)] {
    [("auth", object(members(["kind": "basic".json, "secret": password.json, "user": user.json])))]
  }
}

extension EngineAccess {
  /// Subscribes to a feed. One that is there gets the login.
  ///
  /// - Parameter request: The request to subscribe, with the login.
  func subscribe(
    _ request: Request, with login: AddressLogin?
  ) throws -> (id: FeedID, isNew: Bool, reply: JSONObject) {
    let reply = try connection.ask(request).get()
    guard let id = FeedID(try reply.required("id", JSONObject.string)) else {
      throw MalformedLine("a feed without a valid id")
    }
    let isNew = try reply.boolean("created") ?? false
    if !isNew, let login {
      _ = try connection.ask(Request("feeds/update", members(["id": id.description.json]) + login.ofRequests)).get()
    }
    return (id, isNew, reply)
  }
}
