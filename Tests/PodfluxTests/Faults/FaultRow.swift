import ScriptedOrigin

/// One row of the fault matrix: the origin's behaviour for the successive requests of one download, and the expected
/// result.
struct FaultRow: Sendable {
  /// How a download ends.
  enum Ending: Sendable {
    /// Complete, with this content.
    case file(Body)
    /// Failed at once with this code; this many bytes are kept.
    case failed(String, keeping: Int)
    /// Failed after the attempts were exhausted, the last one with this code.
    case exhausted(String, keeping: Int)
  }

  /// The range of a request.
  enum Ask: Sendable, Hashable {
    /// The whole file, without conditions.
    case whole
    /// The bytes from here on, under this condition.
    case from(Int, if: String?)
    /// Any range: the number of received bytes is random.
    case anything
  }

  /// The discarded bytes.
  enum Loss: Sendable, Hashable {
    case bytes(Int)
    /// More than 0; the number is random.
    case some
  }

  /// The download's address.
  static let path = "/a.mp3"

  let name: String
  /// The behaviour for the successive requests for `path`; the last one repeats.
  let script: [Behaviour]
  let ending: Ending
  /// The requests in order, including those for redirects' targets.
  let asks: [Ask]
  /// The behaviour for other paths.
  var elsewhere: [String: [Behaviour]] = [:]
  /// The discarded bytes, by cause.
  var losses: [String: Loss] = [:]
  /// The content whose hash the client expects.
  var integrity: Body?
  /// The minimum time between a request and the previous one, in seconds.
  var restSeconds = 0.0

  /// A download that completes.
  init(_ name: String, _ script: [Behaviour], _ asks: [Ask], is body: Body) {
    (self.name, self.script, self.asks, ending) = (name, script, asks, .file(body))
  }

  /// A download that ends without a file.
  init(_ name: String, _ script: [Behaviour], _ asks: [Ask], _ ending: Ending) {
    (self.name, self.script, self.asks, self.ending) = (name, script, asks, ending)
  }

  /// The same with this many discarded bytes for a cause.
  func losing(_ count: Int, because cause: String) -> FaultRow {
    changing { $0.losses[cause] = .bytes(count) }
  }

  /// The same with some discarded bytes for a cause.
  func losingSome(because cause: String) -> FaultRow {
    changing { $0.losses[cause] = .some }
  }

  /// The same with another path.
  func serving(_ path: String, _ script: [Behaviour]) -> FaultRow {
    changing { $0.elsewhere[path] = script }
  }

  /// The same with an expected hash.
  func proven(by body: Body) -> FaultRow {
    changing { $0.integrity = body }
  }

  /// The same with a cooldown of the host before each further request.
  func resting(seconds: Double) -> FaultRow {
    changing { $0.restSeconds = seconds }
  }

  private func changing(_ change: (inout FaultRow) -> Void) -> FaultRow {
    var copy = self
    change(&copy)
    return copy
  }
}

/// The episode of all rows, its other versions, and ways to send them.
enum Episode {
  static let length = 300_000
  /// The length after which the first response is cut.
  static let cut = 150_000
  /// The offset of the resume then: the engine requests 64 KiB again.
  static let resumed = cut - (64 << 10)
  static let body = Body.audio(length: length, seed: 1)
  /// Another version of the same length.
  static let other = Body.audio(length: length, seed: 2)
  /// The length of the common prefix of both versions.
  static let common = zip(body.allBytes, other.allBytes).prefix { $0 == $1 }.count
  static let tag = "\"v1\""

  /// The file with a strong entity tag.
  static let tagged = Resource(body, entityTag: .strong("v1"))
  /// The file without a validator.
  static let bare = Resource(body)
  static let good = Behaviour.resource(tagged)
  /// The beginning of the file, followed by a cut.
  static let half = good.cutting(afterBytes: cut)
  static let bareHalf = Behaviour.resource(bare).cutting(afterBytes: cut)

  /// The same content except for one byte.
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

  /// A part with any Content-Range.
  static func part(_ body: Body, _ contentRange: String?, tag: String? = tag) -> Behaviour {
    var headers: HeaderFields = ["Content-Type": "audio/mpeg"]
    headers["Content-Range"] = contentRange
    headers["ETag"] = tag
    return .status(206, headers: headers, body: body)
  }
}

extension FaultRow.Ask {
  /// The resume after a cut in the middle, with a strong tag.
  static let resume = FaultRow.Ask.from(Episode.resumed, if: Episode.tag)
  /// The same without a condition.
  static let bareResume = FaultRow.Ask.from(Episode.resumed, if: nil)
}
