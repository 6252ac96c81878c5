import ScriptedOrigin

/// Changes of validators and of the content.
extension FaultRow {
  static let versions: [FaultRow] = tags + dates + rotating + contents + shrinking

  private static func half(_ resource: Resource) -> Behaviour {
    Behaviour.resource(resource).cutting(afterBytes: Episode.cut)
  }

  private static func tagged(_ tag: EntityTag?, _ ranges: RangePolicy = .honoured) -> Resource {
    Episode.resource(tag: tag, ranges: ranges)
  }

  private static let badTag = Resource(Episode.body, headers: ["ETag": "v1"])

  private static let tags = [
    FaultRow(
      "no validator at all", [Episode.bareHalf, .resource(Episode.bare)], [.whole, .bareResume], is: Episode.body),
    FaultRow(
      "a weak tag", [half(tagged(.weak("v1"))), .resource(tagged(.weak("v1")))], [.whole, .bareResume], is: Episode.body
    ),
    FaultRow(
      "a weak tag that changes, and the content does not",
      [half(tagged(.weak("v1"))), .resource(tagged(.weak("v2")))], [.whole, .bareResume, .whole], is: Episode.body),
    FaultRow(
      "a weak tag that changes, and the content before the overlap",
      [
        half(tagged(.weak("v1"))), .resource(Episode.resource(Episode.changed(at: 50_000), tag: .weak("v2"))),
      ], [.whole, .bareResume, .whole], is: Episode.changed(at: 50_000)
    ).losing(Episode.cut - 50_000, because: "validator_changed"),
    FaultRow(
      "a tag without quotes", [half(badTag), .resource(badTag)], [.whole, .bareResume], is: Episode.body),
    FaultRow(
      "a tag that becomes weak", [Episode.half, .resource(tagged(.weak("v1")))], [.whole, .resume], is: Episode.body),
    FaultRow(
      "a tag that appears", [Episode.bareHalf, .resource(tagged(.strong("v2")))],
      [.whole, .bareResume, .whole], is: Episode.body),
    FaultRow(
      "a tag that disappears", [Episode.half, .resource(tagged(nil, .honouredDespiteIfRange))],
      [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a tag that changes once, and the content does not", [Episode.half, .resource(tagged(.strong("v2")))],
      [.whole, .resume], is: Episode.body),
    FaultRow(
      "a part under another tag, and the same content",
      [Episode.half, .resource(tagged(.strong("v2"), .honouredDespiteIfRange))], [.whole, .resume, .whole],
      is: Episode.body),
    FaultRow(
      "a failed precondition", [Episode.half, .status(412), Episode.good], [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a failed precondition in answer to everything", [Episode.half, .status(412)], [.whole, .resume, .whole],
      .failed("http_status", keeping: Episode.cut)),
    FaultRow(
      "a failed precondition where there was none", [.status(412)], [.whole], .failed("http_status", keeping: 0)),
  ]

  private static let date = "Sat, 07 Mar 2026 10:00:00 GMT"
  private static let laterDate = "Sat, 07 Mar 2026 12:00:00 GMT"
  private static let sent = "Sun, 08 Mar 2026 10:00:00 GMT"

  private static let dates = [
    FaultRow(
      "a date that is a strong validator",
      [half(Episode.resource(date: date, sent: sent)), .resource(Episode.resource(date: date, sent: sent))],
      [.whole, .from(Episode.resumed, if: date)], is: Episode.body),
    FaultRow(
      "a date that is not known to be one",
      [half(Episode.resource(date: date)), .resource(Episode.resource(date: date))], [.whole, .bareResume],
      is: Episode.body),
    FaultRow(
      "a date as young as the response",
      [half(Episode.resource(date: sent, sent: sent)), .resource(Episode.resource(date: sent, sent: sent))],
      [.whole, .bareResume], is: Episode.body),
    FaultRow(
      "a date beside a weak tag",
      [
        half(Episode.resource(tag: .weak("v1"), date: date, sent: sent)),
        .resource(Episode.resource(tag: .weak("v1"), date: date, sent: sent)),
      ], [.whole, .bareResume], is: Episode.body),
    FaultRow(
      "a strong date that changes, and the content does not",
      [half(Episode.resource(date: date, sent: sent)), .resource(Episode.resource(date: laterDate, sent: sent))],
      [.whole, .from(Episode.resumed, if: date)], is: Episode.body),
    FaultRow(
      "a date that changes, and the content does not",
      [half(Episode.resource(date: date)), .resource(Episode.resource(date: laterDate))],
      [.whole, .bareResume, .whole], is: Episode.body),
    FaultRow(
      "a date that changes, and the content too",
      [half(Episode.resource(date: date)), .resource(Episode.resource(Episode.other, date: laterDate))],
      [.whole, .bareResume, .whole], is: Episode.other
    ).losing(Episode.cut - Episode.common, because: "validator_changed"),
  ]

  private static func rotated(
    _ number: Int, _ body: Body = Episode.body, _ ranges: RangePolicy = .honoured
  ) -> Behaviour {
    .resource(Episode.resource(body, tag: .strong("v\(number)"), date: date, ranges: ranges))
  }

  private static let rotating = [
    FaultRow(
      "a tag that rotates is found out, and ignored then",
      [
        rotated(1).cutting(afterBytes: Episode.cut), rotated(2).cutting(afterBytes: 250_000),
        rotated(3).cutting(afterBytes: 100_000), rotated(4),
      ], [.whole, .resume, .from(184_464, if: nil), .from(218_928, if: nil)], is: Episode.body),
    FaultRow(
      "a tag that rotates at a host that does not heed If-Range",
      [
        rotated(1).cutting(afterBytes: Episode.cut), rotated(2, Episode.body, .honouredDespiteIfRange),
        rotated(3).cutting(afterBytes: 250_000), rotated(4, Episode.body, .honouredDespiteIfRange),
      ], [.whole, .resume, .whole, .from(184_464, if: nil)], is: Episode.body),
    FaultRow(
      "a tag that rotates, and then the content changes in the overlap",
      [
        rotated(1).cutting(afterBytes: Episode.cut), rotated(2).cutting(afterBytes: 250_000),
        rotated(3, Episode.changed(at: 200_000)),
      ], [.whole, .resume, .from(184_464, if: nil), .whole], is: Episode.changed(at: 200_000)
    ).losing(50_000, because: "content_changed"),
  ]

  private static let contents = [
    FaultRow(
      "another version with another tag",
      [Episode.half, .resource(Episode.resource(Episode.other, tag: .strong("v2")))],
      [.whole, .resume], is: Episode.other
    ).losing(Episode.cut - Episode.common, because: "validator_changed"),
    FaultRow(
      "a part of another version under its own tag",
      [
        Episode.half,
        .resource(Episode.resource(Episode.other, tag: .strong("v2"), ranges: .honouredDespiteIfRange)),
      ], [.whole, .resume, .whole], is: Episode.other
    ).losing(Episode.cut - Episode.common, because: "validator_changed"),
    FaultRow(
      "another version under the same tag, seen in the overlap",
      [Episode.half, .resource(Episode.resource(Episode.other, tag: .strong("v1")))], [.whole, .resume, .whole],
      is: Episode.other
    ).losing(Episode.cut - Episode.common, because: "content_changed"),
    FaultRow(
      "another version without validators, seen in the overlap",
      [Episode.bareHalf, .resource(Episode.resource(Episode.other))], [.whole, .bareResume, .whole], is: Episode.other
    ).losing(Episode.cut - Episode.common, because: "content_changed"),
    FaultRow(
      "one byte of the overlap changed",
      [Episode.half, .resource(Episode.resource(Episode.changed(at: 100_000), tag: .strong("v1")))],
      [.whole, .resume, .whole], is: Episode.changed(at: 100_000)
    ).losing(50_000, because: "content_changed"),
    FaultRow(
      "the last kept byte changed",
      [Episode.half, .resource(Episode.resource(Episode.changed(at: 149_999), tag: .strong("v1")))],
      [.whole, .resume, .whole], is: Episode.changed(at: 149_999)
    ).losing(1, because: "content_changed"),
    FaultRow(
      "one byte before the overlap changed, with the tag",
      [Episode.half, .resource(Episode.resource(Episode.changed(at: 50_000), tag: .strong("v2")))], [.whole, .resume],
      is: Episode.changed(at: 50_000)
    ).losing(100_000, because: "validator_changed"),
    FaultRow(
      "one byte before the overlap changed behind an honest tag, and a part of it",
      [
        Episode.half,
        .resource(
          Episode.resource(Episode.changed(at: 50_000), tag: .strong("v2"), ranges: .honouredDespiteIfRange)),
      ], [.whole, .resume, .whole], is: Episode.changed(at: 50_000)
    ).losing(100_000, because: "validator_changed"),
    FaultRow(
      "one byte before the overlap changed behind a lying tag: only the hash shows it",
      [Episode.half, .resource(Episode.resource(Episode.changed(at: 50_000), tag: .strong("v1")))],
      [.whole, .resume, .whole], is: Episode.changed(at: 50_000)
    ).proven(by: Episode.changed(at: 50_000)).losing(Episode.length, because: "integrity_mismatch"),
    FaultRow(
      "one byte behind the overlap changed, and the tag lies",
      [Episode.half, .resource(Episode.resource(Episode.changed(at: 200_000), tag: .strong("v1")))],
      [.whole, .resume], is: Episode.changed(at: 200_000)),
    FaultRow(
      "one byte behind the overlap changed, with the tag",
      [Episode.half, .resource(Episode.resource(Episode.changed(at: 200_000), tag: .strong("v2")))],
      [.whole, .resume], is: Episode.changed(at: 200_000)),
    FaultRow(
      "another version that breaks off before the difference, and is taken back",
      [
        Episode.half,
        Behaviour.resource(Episode.resource(Episode.changed(at: 120_000), tag: .strong("v2")))
          .cutting(afterBytes: 100_000), Episode.good,
      ], [.whole, .resume, .resume], is: Episode.body),
    FaultRow(
      "another version that breaks off behind the difference",
      [
        Episode.half,
        Behaviour.resource(Episode.resource(Episode.changed(at: 50_000), tag: .strong("v2")))
          .cutting(afterBytes: 120_000),
        .resource(Episode.resource(Episode.changed(at: 50_000), tag: .strong("v2"))),
      ], [.whole, .resume, .from(120_000 - 65_536, if: "\"v2\"")], is: Episode.changed(at: 50_000)
    ).losing(100_000, because: "validator_changed"),
    FaultRow(
      "content that is not what the client knows", [Episode.good], [.whole], .failed("integrity_mismatch", keeping: 0)
    ).proven(by: Episode.other).losing(Episode.length, because: "integrity_mismatch"),
  ]

  private static let longer = Body.joined([.audio(length: 100_000, seed: 9), Episode.body])
  private static let continued = Body.joined([Episode.body, .stamped(length: 50_000, seed: 5)])
  private static let commonWithLonger =
    zip(Episode.body.allBytes, longer.allBytes).prefix { $0 == $1 }.count

  private static let shrinking = [
    FaultRow(
      "a longer version, with something before the episode",
      [Episode.half, .resource(Resource(longer, entityTag: .strong("v2")))],
      [.whole, .resume], is: longer
    ).losing(Episode.cut - commonWithLonger, because: "validator_changed"),
    FaultRow(
      "a longer version without validators", [Episode.bareHalf, .resource(Resource(longer))],
      [.whole, .bareResume, .whole], is: longer
    ).losing(Episode.cut - commonWithLonger, because: "length_changed"),
    FaultRow(
      "a file that has grown at its end", [Episode.bareHalf, .resource(Resource(continued))],
      [.whole, .bareResume, .whole], is: continued),
    FaultRow(
      "a file that has lost its end, behind what is kept",
      [Episode.bareHalf, .resource(Resource(Episode.body[0..<200_000]))], [.whole, .bareResume, .whole],
      is: Episode.body[0..<200_000]),
    FaultRow(
      "a file that has lost its end within the overlap",
      [Episode.bareHalf, .resource(Resource(Episode.body[0..<100_000]))], [.whole, .bareResume, .whole],
      is: Episode.body[0..<100_000]
    ).losing(50_000, because: "length_changed"),
    FaultRow(
      "a new version at each request",
      (1...2).map { half(Resource(.audio(length: Episode.length, seed: $0), entityTag: .strong("v\($0)"))) }
        + [.resource(Resource(.audio(length: Episode.length, seed: 3), entityTag: .strong("v3")))],
      [.whole, .resume, .from(Episode.resumed, if: "\"v2\"")], is: .audio(length: Episode.length, seed: 3)
    ).losing(
      2 * Episode.cut - Episode.common
        - zip(Episode.other.allBytes, Body.audio(length: Episode.length, seed: 3).allBytes).prefix { $0 == $1 }.count,
      because: "validator_changed"),
  ]
}
