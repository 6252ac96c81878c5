/// To which addresses requests may lead (the article Networks).
///
/// Use: `settings.addresses`, nil where it depends on who has named the address.
public enum AddressRule: String, Hashable, Sendable, CaseIterable {
  /// Requests may lead to any address.
  case any
  /// Requests may lead to public addresses only, also where a person has named another one.
  case `public`
}

/// The kind of address at which a document was read.
package enum AddressClass: String, Hashable, Sendable, CaseIterable {
  /// The address is not known.
  case unknown
  /// A public address, or one that a proxy has resolved: hosts behind a proxy count as the Internet.
  case `public`
  /// An address of this machine, or of one of its own networks.
  case `private`

  /// The class of a machine's address.
  package init(_ address: IPAddress) {
    self = address.isPublic ? .public : .private
  }

  /// The class of what was read at both: one public address is enough to make it the Internet's.
  package func joined(_ other: Self) -> Self {
    if self == .public || other == .public { return .public }
    return other == .unknown ? self : other
  }
}

/// Who has named an address.
package enum AddressNamer: Hashable, Sendable {
  case person
  /// A feed that was read at an address of this class, or a page of it.
  case feed(AddressClass)
}

/// Where the connections of a request may lead.
package enum Reach: Hashable, Sendable, CaseIterable {
  /// To any address.
  case anywhere
  /// To any address; after a redirect by a public address to public addresses only, since that server has named the
  /// target, and no person.
  case asNamed
  /// To public addresses only.
  case publicOnly
}

extension Settings {
  /// Where a request may lead whose address has this origin.
  ///
  /// By default a feed of the Internet reaches the Internet only. What a person names may be anywhere, and so may what
  /// a feed names that is itself on this machine or on one of its networks: it is a person's, too. A feed of which
  /// nothing is known is one that was not refreshed since this is kept: it counts so until then.
  package func reach(of namer: AddressNamer) -> Reach {
    switch (addresses, namer) {
    case (.any?, _): .anywhere
    case (.public?, _), (nil, .feed(.public)): .publicOnly
    case (nil, .person), (nil, .feed): .asNamed
    }
  }
}
