import PodfluxCore

/// A secret that stands in addresses of some hosts: the parameter of a session. It is left out of every address that a
/// server tells, so that rows never have it; requests get it again.
package struct AddressSecret: Hashable, Sendable {
  package let parameter: SecretParameter
  private let hosts: [String]

  package init(_ parameter: SecretParameter, at hosts: [String]) {
    self.parameter = parameter
    self.hosts = hosts
  }

  /// A text that may be an address, without the secret.
  fileprivate func removed(from text: String) -> String {
    guard let address = try? WebAddress(text), hosts.contains(address.host) else { return text }
    return parameter.removed(from: text)
  }

  /// A guid without the secret: many publishers make it of an address, or of the token alone.
  fileprivate func removed(fromGUID text: String) -> String { parameter.removedAnywhere(in: removed(from: text)) }
}

extension SessionCredentials {
  /// What stands in the addresses of its requests; nil for another kind.
  package var addressSecret: AddressSecret? {
    parameterName.map { AddressSecret(SecretParameter(name: $0, value: secret), at: hosts) }
  }
}

extension WebAddress {
  /// The address without a secret. At another host it stays as it is: its publisher gives it to that host.
  func without(_ secret: AddressSecret?) -> WebAddress {
    // The secret is at the end of the host: what is left is an address.
    secret.flatMap { try? WebAddress($0.removed(from: description)) } ?? self
  }
}

extension EpisodeContent {
  /// The same without a secret in its addresses, and in its guid, which many publishers make of one.
  consuming func without(_ secret: AddressSecret?) -> EpisodeContent {
    guard let secret else { return self }
    var content = self
    content.guid = content.guid.map(secret.removed(fromGUID:))
    content.link = content.link?.without(secret)
    content.enclosure?.address.remove(secret)
    for alternate in content.alternates.indices {
      for address in content.alternates[alternate].addresses.indices {
        content.alternates[alternate].addresses[address].remove(secret)
      }
    }
    content.chapters = content.chapters?.without(secret)
    content.transcript = content.transcript?.without(secret)
    content.image = content.image?.without(secret)
    return content
  }
}

extension PodcastContent {
  /// The same without a secret in its addresses.
  func without(_ secret: AddressSecret?) -> PodcastContent {
    guard let secret else { return self }
    var content = self
    content.description = description.map(secret.parameter.removedAnywhere)
    content.link = link.map(secret.removed(from:))
    content.image = image.map(secret.removed(from:))
    content.guid = guid.map(secret.removed(fromGUID:))
    return content
  }
}

extension WebAddress {
  fileprivate mutating func remove(_ secret: AddressSecret) { self = without(secret) }
}
