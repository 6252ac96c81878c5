import PodfluxCore

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
