import Feeds
import Flux
import PodfluxCore

/// What a refresh calls itself. Some hosts of podcasts refuse every agent that they do not know.
enum RefreshAgent {
  /// What the feed's subscription or the settings say.
  case own
  case browser

  /// How servers refuse an agent: 403, and 429 where they count requests by agent.
  static let refusals = [403, 429]
  /// What a browser on Linux calls itself.
  static let browserName = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
}

extension HTTPRequest {
  /// The request of a refresh. The client's headers are for the origin of the feed's own address.
  ///
  /// - Parameters:
  ///   - namer: Who has named the address.
  ///   - condition: Under which the body is wanted (RFC 9110 section 13.1); nil if it is in any case.
  init(
    _ refresh: FeedRefresh, at address: WebAddress, namedBy namer: AddressNamer, as agent: RefreshAgent,
    condition: ConditionalPolicy.Condition?
  ) {
    let feed = refresh.feed
    self.init(
      to: address, headers: address.hasOrigin(of: feed.address) ? feed.wishes.headers : [],
      settings: refresh.settings, route: refresh.route, reach: refresh.settings.reach(of: namer),
      session: refresh.session)
    ownFields = Self.fields + (condition?.fields ?? [])
    switch agent {
    case .own: userAgent = feed.wishes.userAgent ?? userAgent
    case .browser: userAgent = RefreshAgent.browserName
    }
  }

  private static var fields: [(name: String, value: String)] {
    [
      (
        "Accept",
        "application/rss+xml, application/atom+xml, application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1"
      ), ("Accept-Encoding", "br, gzip, deflate"),
    ]
  }
}

extension ConditionalPolicy.Condition {
  fileprivate var fields: [(name: String, value: String)] {
    [("If-None-Match", entityTag), ("If-Modified-Since", modifiedSince)].compactMap { name, value in
      value.map { (name, $0) }
    }
  }
}

extension ResponseHead {
  /// The charset that `Content-Type` names (RFC 9110 section 8.3.2); nil if it names none.
  var charset: String? {
    guard let parameters = contentType?.split(separator: ";").dropFirst() else { return nil }
    for parameter in parameters {
      let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.drop { $0 == " " || $0 == "\t" } }
      guard parts.count == 2, parts[0].lowercased() == "charset" else { continue }
      return String(parts[1].filter { $0 != "\"" && $0 != " " })
    }
    return nil
  }
}
