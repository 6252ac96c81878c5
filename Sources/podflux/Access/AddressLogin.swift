import Foundation
import PodfluxClient
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
