import ScriptedOrigin

/// The length of a body, and its framing.
extension FaultRow {
  static let framing: [FaultRow] = unknownLengths + lies + empty + tooLarge + boundless

  private static func ignored(_ framing: Framing) -> Behaviour {
    Behaviour.resource(Episode.resource(tag: .strong("v1"), ranges: .ignored)).framed(framing)
  }

  private static let unknownLengths = [
    FaultRow("chunks without a length", [Episode.good.framed(.chunked)], [.whole], is: Episode.body),
    FaultRow(
      "chunks that break off, then a part in chunks", [Episode.half.framed(.chunked), Episode.good.framed(.chunked)],
      [.whole, .resume], is: Episode.body),
    FaultRow(
      "chunks that repeat what is kept", [Episode.half, ignored(.chunked)], [.whole, .resume], is: Episode.body),
    FaultRow(
      "chunks and a Content-Length that contradicts them",
      [Episode.good.framed(.chunked).settingHeader("Content-Length", "1000")], [.whole], is: Episode.body),
    FaultRow("a length that only the close tells", [Episode.good.framed(.closing)], [.whole], is: Episode.body),
    FaultRow(
      "a close that repeats what is kept, and all the rest", [Episode.half, ignored(.closing)], [.whole, .resume],
      is: Episode.body),
    FaultRow(
      "a close within what is kept", [Episode.half, ignored(.closing).cutting(afterBytes: 100_000), Episode.good],
      [.whole, .resume, .resume], is: Episode.body),
    FaultRow(
      "a close behind what is kept, before the end that an earlier response named",
      [Episode.half, ignored(.closing).cutting(afterBytes: 200_000), Episode.good],
      [.whole, .resume, .from(200_000 - 65_536, if: Episode.tag)], is: Episode.body),
    FaultRow(
      "a part that only the close ends", [Episode.half, Episode.good.framed(.closing)], [.whole, .resume],
      is: Episode.body),
    FaultRow(
      "a part that the close ends too early",
      [Episode.half, Episode.good.framed(.closing).cutting(afterBytes: 100_000), Episode.good],
      [.whole, .resume, .from(Episode.resumed + 100_000 - 65_536, if: Episode.tag)], is: Episode.body),
    FaultRow(
      "a close that looks like the end: only the hash shows it", [Episode.half.framed(.closing)], [.whole],
      .failed("integrity_mismatch", keeping: 0)
    ).proven(by: Episode.body).losing(Episode.cut, because: "integrity_mismatch"),
  ]

  private static let lies = [
    FaultRow(
      "a Content-Length that is too large",
      [Episode.good.settingHeader("Content-Length", "400000").removingHeader("ETag"), .resource(Episode.bare)],
      [.whole, .from(300_000 - 65_536, if: nil), .whole], is: Episode.body),
    FaultRow(
      "a Content-Length that is too small is the length", [Episode.good.settingHeader("Content-Length", "200000")],
      [.whole], is: Episode.body[0..<200_000]),
    FaultRow(
      "a part with a Content-Length that is too small",
      [Episode.half, Episode.good.settingHeader("Content-Length", "100000"), Episode.good],
      [.whole, .resume, .from(Episode.resumed + 100_000 - 65_536, if: Episode.tag)], is: Episode.body),
    FaultRow(
      "a part with a Content-Length that is too large",
      [Episode.half, Episode.good.settingHeader("Content-Length", "400000"), Episode.good],
      [.whole, .resume, .from(300_000 - 65_536, if: Episode.tag)], is: Episode.body),
    FaultRow(
      "a Content-Length that is no number", [Episode.good.settingHeader("Content-Length", "many"), Episode.good],
      [.whole, .whole], is: Episode.body),
    FaultRow(
      "a part with a Content-Length that is no number",
      [Episode.half, Episode.good.settingHeader("Content-Length", "many"), Episode.good], [.whole, .resume, .resume],
      is: Episode.body),
  ]

  private static let endlessHead = Episode.good.settingHeader("X-Long", String(repeating: "x", count: 70_000))
  private static let endlessLine = Episode.good.settingHeader("X-Long", String(repeating: "x", count: 200_000))
  private static let boundlessLength = Episode.good.settingHeader("Content-Length", "99999999999999999999")

  /// Heads that are never acceptable: the engine does not retry five times.
  private static let boundless: [FaultRow] = [
    ("a head of 70,000 bytes", endlessHead), ("a line of 200,000 bytes in the head", endlessLine),
    ("a Content-Length beyond all numbers", boundlessLength),
  ].flatMap { name, behaviour in
    [
      FaultRow("\(name) at first", [behaviour], [.whole], .failed("too_large", keeping: 0)),
      FaultRow(
        "\(name) on the resume", [Episode.half, behaviour], [.whole, .resume],
        .failed("too_large", keeping: Episode.cut)),
    ]
  }

  private static let nothing = Behaviour.status(200, headers: ["Content-Type": "audio/mpeg"])

  private static let empty = [
    FaultRow("0 bytes at first", [nothing, Episode.good], [.whole, .whole], is: Episode.body),
    FaultRow(
      "0 bytes on the resume", [Episode.half, nothing, Episode.good], [.whole, .resume, .resume], is: Episode.body),
    FaultRow(
      "0 bytes always", [nothing], [.whole, .whole, .whole], .exhausted("length_mismatch", keeping: 0)),
    FaultRow(
      "0 bytes for ever after a cut", [Episode.half, nothing], [.whole, .resume, .resume, .resume],
      .exhausted("length_mismatch", keeping: Episode.cut)),
    FaultRow("no chunk at all", [nothing.framed(.chunked), Episode.good], [.whole, .whole], is: Episode.body),
    FaultRow(
      "a close without a byte, on the resume", [Episode.half, nothing.framed(.closing), Episode.good],
      [.whole, .resume, .resume], is: Episode.body),
    FaultRow("no content", [.status(204)], [.whole], .failed("http_status", keeping: 0)),
  ]

  /// The matrix's limit for a file's length in bytes.
  static let largestFile = 1_000_000
  private static let huge = Resource(.audio(length: largestFile + 1, seed: 1))

  private static let tooLarge = [
    FaultRow("more than is allowed, announced", [.resource(huge)], [.whole], .failed("too_large", keeping: 0)),
    FaultRow(
      "as much as is allowed", [.resource(Resource(.audio(length: largestFile, seed: 1)))], [.whole],
      is: .audio(length: largestFile, seed: 1)),
    FaultRow(
      "more than is allowed, in chunks", [Behaviour.resource(huge).framed(.chunked)], [.whole],
      .failed("too_large", keeping: 0)
    ).losingSome(because: "too_large"),
    FaultRow(
      "more than is allowed, on the resume", [Episode.bareHalf, .resource(huge)], [.whole, .bareResume, .whole],
      .failed("too_large", keeping: 0)
    ).losing(Episode.cut, because: "too_large"),
  ]
}
