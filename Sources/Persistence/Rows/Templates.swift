import PodfluxCore

extension DownloadID {
  /// Any id, which a reader replaces.
  static let any: DownloadID = {
    guard let id = DownloadID("any") else { preconditionFailure("this is an id") }
    return id
  }()
}

extension FeedID {
  /// Any id, which a reader replaces.
  static let any: FeedID = {
    guard let id = FeedID("any") else { preconditionFailure("this is an id") }
    return id
  }()
}

extension WebAddress {
  /// Any address, which a reader replaces.
  static let anywhere: WebAddress = {
    guard let address = try? WebAddress("http://localhost/") else { preconditionFailure("this is an address") }
    return address
  }()

  /// The addresses with these texts; nil if one of them is none.
  static func all(of texts: [String]) -> [WebAddress]? {
    let addresses = texts.compactMap { try? WebAddress($0) }
    return addresses.count == texts.count ? addresses : nil
  }
}
