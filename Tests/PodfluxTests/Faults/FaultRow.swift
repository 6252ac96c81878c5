import ScriptedOrigin

/// One row of the fault matrix: what an origin does to the successive requests of one download, and what becomes of it.
struct FaultRow: Sendable {
  /// How a download ends.
  enum Ending: Sendable {
    /// Complete, with this content.
    case file(Body)
    /// Failed at once with this code; so many bytes are kept.
    case failed(String, keeping: Int)
    /// Failed when the attempts were used up; the last one with this code.
    case exhausted(String, keeping: Int)
  }

  /// What the engine asks for.
  enum Ask: Sendable, Hashable {
    /// The whole file, without conditions.
    case whole
    /// What begins here, under this condition.
    case from(Int, if: String?)
    /// Something: how many bytes had come through is a matter of chance.
    case anything
  }

  /// What is thrown away.
  enum Loss: Sendable, Hashable {
    case bytes(Int)
    /// More than nothing: how much is a matter of chance.
    case some
  }

  /// Where the download begins.
  static let path = "/a.mp3"

  let name: String
  /// What the successive requests for `path` get; the last one for ever.
  let script: [Behaviour]
  let ending: Ending
  /// The requests in order, with all paths that redirects lead to.
  let asks: [Ask]
  /// What other paths answer.
  var elsewhere: [String: [Behaviour]] = [:]
  /// What is thrown away, by its cause.
  var losses: [String: Loss] = [:]
  /// What the client says that the file must hash to.
  var integrity: Body?
  /// The least time between a request and the one before it, in seconds.
  var restSeconds = 0.0

  /// A download that ends complete.
  init(_ name: String, _ script: [Behaviour], _ asks: [Ask], is body: Body) {
    (self.name, self.script, self.asks, ending) = (name, script, asks, .file(body))
  }

  /// A download that ends without a file.
  init(_ name: String, _ script: [Behaviour], _ asks: [Ask], _ ending: Ending) {
    (self.name, self.script, self.asks, self.ending) = (name, script, asks, ending)
  }

  /// The same, and so many bytes are thrown away for this cause.
  func losing(_ count: Int, because cause: String) -> FaultRow {
    changing { $0.losses[cause] = .bytes(count) }
  }

  /// The same, and some bytes are thrown away for this cause.
  func losingSome(because cause: String) -> FaultRow {
    changing { $0.losses[cause] = .some }
  }

  /// The same with another path.
  func serving(_ path: String, _ script: [Behaviour]) -> FaultRow {
    changing { $0.elsewhere[path] = script }
  }

  /// The same, and the client knows the hash of the content.
  func proven(by body: Body) -> FaultRow {
    changing { $0.integrity = body }
  }

  /// The same, and the engine leaves the host alone for so long before each further request.
  func resting(seconds: Double) -> FaultRow {
    changing { $0.restSeconds = seconds }
  }

  private func changing(_ change: (inout FaultRow) -> Void) -> FaultRow {
    var copy = self
    change(&copy)
    return copy
  }
}

/// The episode that all rows are about, its other versions, and ways to send them.
enum Episode {
  static let length = 300_000
  /// Where the first response is cut.
  static let cut = 150_000
  /// Where the resume begins then: the engine fetches 64 KiB again.
  static let resumed = cut - (64 << 10)
  static let body = Body.audio(length: length, seed: 1)
  /// Another version of the same length.
  static let other = Body.audio(length: length, seed: 2)
  /// How many bytes at its beginning the other version has in common with the first.
  static let common = zip(body.allBytes, other.allBytes).prefix { $0 == $1 }.count
  static let tag = "\"v1\""

  /// The file with a strong entity tag.
  static let tagged = Resource(body, entityTag: .strong("v1"))
  /// The file without any validator.
  static let bare = Resource(body)
  static let good = Behaviour.resource(tagged)
  /// The beginning of the file; the connection is cut then.
  static let half = good.cutting(afterBytes: cut)
  static let bareHalf = Behaviour.resource(bare).cutting(afterBytes: cut)

  /// The same content but for one byte.
  static func changed(at offset: Int) -> Body {
    let byte = body[offset..<(offset + 1)].allBytes[0] ^ 1
    return .joined([body[0..<offset], .bytes([byte]), body[(offset + 1)..<length]])
  }

  /// The file with these validators.
  static func resource(
    _ body: Body = body, tag: EntityTag? = nil, date: String? = nil, sent: String? = nil,
    ranges: RangePolicy = .honoured
  ) -> Resource {
    var headers: HeaderFields = [:]
    headers["Date"] = sent
    return Resource(body, entityTag: tag, lastModified: date, ranges: ranges, headers: headers)
  }

  /// A part that is answered with whatever header and content.
  static func part(_ body: Body, _ contentRange: String?, tag: String? = tag) -> Behaviour {
    var headers: HeaderFields = ["Content-Type": "audio/mpeg"]
    headers["Content-Range"] = contentRange
    headers["ETag"] = tag
    return .status(206, headers: headers, body: body)
  }
}

extension FaultRow.Ask {
  /// The resume of what was cut in the middle, with a strong tag.
  static let resume = FaultRow.Ask.from(Episode.resumed, if: Episode.tag)
  /// The same without a condition.
  static let bareResume = FaultRow.Ask.from(Episode.resumed, if: nil)
}
