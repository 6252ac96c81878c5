import PodfluxCore

/// The request of one exchange with an origin, redirects included, and the limits of its time and speed.
package struct HTTPRequest: Sendable {
  /// Where to begin; http or https. User info in it becomes basic authentication of that origin.
  package var url: String
  /// The client's own fields. They are never sent to another origin after a redirect.
  package var headers: [(name: String, value: String)]
  /// The engine's own fields, sent to each origin. By default the body is wanted as it is: some CDNs ignore `Range`
  /// when a coding is accepted, and a coded body cannot be resumed.
  package var ownFields: [(name: String, value: String)]
  /// Asks for the bytes from this one on (`Range: bytes=N-`).
  package var rangeStart: Int64?
  /// The validator under which the range is wanted (`If-Range`).
  package var ifRange: String?
  /// What the client calls itself.
  package var userAgent: String
  /// How long may pass until there is a connection.
  package var connectTimeoutMilliseconds: Int
  /// How long may pass from the request being sent to the end of the final head, on each hop anew.
  package var firstByteTimeoutMilliseconds: Int
  /// How long may pass without a byte, once the head has come. Time spent paused does not count.
  package var stallTimeoutMilliseconds: Int
  /// The bytes per second below which the body is given up, averaged over the window; 0 for none.
  package var slowBytesPerSecond: Int64
  /// Over how long the average is taken. Time spent paused does not count.
  package var slowWindowMilliseconds: Int
  /// Whether a redirect may lead from https to http.
  package var allowsInsecureRedirects: Bool
  /// The route that its connections must take.
  package var route: Route
  /// To which addresses they may lead.
  package var reach: Reach
  /// The session whose credentials go with it, to the session's hosts and to no other; nil for none.
  package var session: SessionUse?
  /// What is posted, as a form (application/x-www-form-urlencoded); nil for a GET. It is sent once, on a connection of
  /// its own: repeating it may not be safe.
  package var form: String?
  /// Whether a redirect is followed; otherwise it is the final response.
  package var followsRedirects = true
  /// Whether a body without a length is wanted in chunks, over HTTP/1.1: libcurl 7.88 takes an HTTP/2 stream that was
  /// reset with NO_ERROR for one that has ended (RFC 9113 section 8.1 does not), and a cut file for a whole one.
  package var needsMarkedEnd = false

  /// Describes a request.
  package init(
    url: String, headers: [(name: String, value: String)] = [],
    ownFields: [(name: String, value: String)] = [("Accept-Encoding", "identity")], rangeStart: Int64? = nil,
    ifRange: String? = nil,
    userAgent: String, connectTimeoutMilliseconds: Int, firstByteTimeoutMilliseconds: Int,
    stallTimeoutMilliseconds: Int, slowBytesPerSecond: Int64 = 0, slowWindowMilliseconds: Int = 60_000,
    allowsInsecureRedirects: Bool = false, route: Route = .any, reach: Reach = .asNamed, session: SessionUse? = nil
  ) {
    self.url = url
    self.headers = headers
    self.ownFields = ownFields
    self.rangeStart = rangeStart
    self.ifRange = ifRange
    self.userAgent = userAgent
    self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
    self.firstByteTimeoutMilliseconds = firstByteTimeoutMilliseconds
    self.stallTimeoutMilliseconds = stallTimeoutMilliseconds
    self.slowBytesPerSecond = slowBytesPerSecond
    self.slowWindowMilliseconds = slowWindowMilliseconds
    self.allowsInsecureRedirects = allowsInsecureRedirects
    self.route = route
    self.reach = reach
    self.session = session
  }
}

extension HTTPRequest {
  /// Below so many bytes per second what is small is given up, also where the settings allow downloads less: feeds,
  /// sidecars and tokens have few slots, and one server that sends a byte now and then would keep one for ever.
  package static let leastBytesPerSecond: Int64 = 500

  /// A request within the timeouts and rules of the settings.
  init(
    to address: WebAddress, headers: [Header], settings: Settings, route: Route, reach: Reach,
    session: SessionUse? = nil
  ) {
    self.init(
      url: address.description, headers: headers.map { ($0.name, $0.value) }, userAgent: settings.userAgent,
      connectTimeoutMilliseconds: settings.connectTimeoutSeconds * 1000,
      firstByteTimeoutMilliseconds: settings.firstByteTimeoutSeconds * 1000,
      stallTimeoutMilliseconds: settings.stallTimeoutSeconds * 1000, slowBytesPerSecond: Self.leastBytesPerSecond,
      allowsInsecureRedirects: settings.allowInsecureRedirects, route: route, reach: reach, session: session)
  }

  /// The request of an attempt.
  init(_ attempt: Attempt, _ plan: ResumePolicy.Plan) {
    let settings = attempt.settings
    self.init(
      to: attempt.address, headers: attempt.headers, settings: settings, route: attempt.route, reach: attempt.reach,
      session: attempt.session)
    (rangeStart, ifRange) = (plan.rangeStart, plan.ifRange)
    slowBytesPerSecond = settings.slowBytesPerSecond
    slowWindowMilliseconds = settings.slowWindowSeconds * 1000
    needsMarkedEnd = true
  }
}

/// The delegate's answer to a response head.
package enum HeadDemand: Sendable {
  /// The body is wanted.
  case proceed
  /// The exchange ends as `.refusedByDelegate`.
  case stop
}

/// The delegate's answer to a piece of a body.
package enum BodyDemand: Sendable {
  /// The bytes are taken.
  case more
  /// The bytes are not taken: they come again after the exchange is resumed, and nothing is read until then.
  case pause
  /// The exchange ends as `.refusedByDelegate`.
  case stop
}

/// What an exchange that came to its end has brought.
package struct ExchangeSummary: Sendable, Hashable {
  /// How many bytes of the body came, as they are coded.
  package var bytesReceived: Int64
  /// What the head declared.
  package var contentLength: Int64?
  /// Whether the end was marked: by a length, by chunks or by the protocol. Otherwise the connection just closed, and
  /// it is unknown whether something is missing.
  package var isDelimited: Bool

  /// Describes an end.
  package init(bytesReceived: Int64, contentLength: Int64?, isDelimited: Bool) {
    self.bytesReceived = bytesReceived
    self.contentLength = contentLength
    self.isDelimited = isDelimited
  }
}

/// Undoes the coding of one body while it arrives. One owner at a time: the attempt.
package protocol BodyDecoder: AnyObject, Sendable {
  /// Whether the file is complete as far as its coding can say.
  var isAtEnd: Bool { get }
  /// Decodes a piece, and hands over what comes out, in parts, until nothing more is wanted.
  ///
  /// - Parameter take: Takes a part, valid for the call only; false ends it.
  /// - Returns: false if `take` wanted no more.
  /// - Throws: what is wrong with the body.
  func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) throws(DownloadError) -> Bool
}
