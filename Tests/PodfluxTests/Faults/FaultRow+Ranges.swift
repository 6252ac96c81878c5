import ScriptedOrigin

/// Origins' handling of ranges.
extension FaultRow {
  static let ranges: [FaultRow] = honest + misplaced + unsatisfied + wrongParts

  private static func tagged(_ ranges: RangePolicy) -> Behaviour {
    .resource(Episode.resource(tag: .strong("v1"), ranges: ranges))
  }

  private static let honest = [
    FaultRow("a file, whole", [Episode.good], [.whole], is: Episode.body),
    FaultRow(
      "a cut, and a range under a strong tag", [Episode.half, Episode.good], [.whole, .resume], is: Episode.body),
    FaultRow("ranges ignored on the first request", [tagged(.ignored)], [.whole], is: Episode.body),
    FaultRow(
      "ranges ignored on the resume", [Episode.half, tagged(.ignored)], [.whole, .resume], is: Episode.body),
    FaultRow(
      "ranges ignored always, cut twice",
      [
        tagged(.ignored).cutting(afterBytes: Episode.cut), tagged(.ignored).cutting(afterBytes: 200_000),
        tagged(.ignored),
      ],
      [.whole, .resume, .from(200_000 - 65_536, if: Episode.tag)], is: Episode.body),
    FaultRow(
      "ranges ignored, without validators",
      [Episode.bareHalf, .resource(Episode.resource(ranges: .ignored))], [.whole, .bareResume], is: Episode.body),
  ]

  private static let misplaced = [
    FaultRow(
      "a part that starts later", [Episode.half, tagged(.shifted(byBytes: 4096)), Episode.good],
      [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a part that starts earlier", [Episode.half, tagged(.shifted(byBytes: -4096)), Episode.good],
      [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a part that starts at 0", [Episode.half, tagged(.shifted(byBytes: -Episode.length)), Episode.good],
      [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "parts that always start elsewhere", [Episode.half, tagged(.shifted(byBytes: 1))], [.whole, .resume, .whole],
      is: Episode.body),
    FaultRow(
      "a part that starts elsewhere and says that it does not",
      [
        Episode.half,
        Episode.part(Episode.body[(Episode.resumed + 1)..<Episode.length], "bytes 84464-299999/300000"), Episode.good,
      ], [.whole, .resume, .whole], is: Episode.body),
    FaultRow("a multipart answer", [Episode.half, tagged(.multipart)], [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a part in answer to a request for the whole",
      [Episode.part(Episode.body[100..<Episode.length], "bytes 100-299999/300000"), Episode.good], [.whole, .whole],
      is: Episode.body),
    FaultRow(
      "parts in answer to everything", [Episode.part(Episode.body[100..<Episode.length], "bytes 100-299999/300000")],
      [.whole, .whole, .whole], .exhausted("range_mismatch", keeping: 0)),
    FaultRow(
      "parts in answer to everything after a cut",
      [Episode.half, Episode.part(Episode.body[100..<Episode.length], "bytes 100-299999/300000")],
      [.whole, .resume, .whole, .resume, .whole, .resume, .whole], .exhausted("range_mismatch", keeping: Episode.cut)),
  ]

  private static func refusing(_ contentRange: String?) -> Behaviour {
    var headers: HeaderFields = [:]
    headers["Content-Range"] = contentRange
    return .status(416, headers: headers)
  }

  private static let unsatisfied = [
    FaultRow("every range refused", [Episode.half, tagged(.refused)], [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a 416 that lies of the total", [Episode.half, refusing("bytes */1000"), Episode.good],
      [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a 416 that names no total", [Episode.half, refusing(nil), Episode.good], [.whole, .resume, .whole],
      is: Episode.body),
    FaultRow(
      "a 416 because the file is shorter now",
      [Episode.bareHalf, .resource(Episode.resource(Episode.body[0..<80_000]))], [.whole, .bareResume, .whole],
      is: Episode.body[0..<80_000]
    ).losing(Episode.cut - 80_000, because: "length_changed"),
    FaultRow(
      "a 416 because the file is another, shorter one",
      [Episode.bareHalf, .resource(Episode.resource(Episode.other[0..<80_000]))], [.whole, .bareResume, .whole],
      is: Episode.other[0..<80_000]
    ).losing(Episode.cut - Episode.common, because: "length_changed"),
    FaultRow(
      "a 416 in answer to a request for the whole", [refusing("bytes */300000")], [.whole],
      .failed("http_status", keeping: 0)),
    FaultRow(
      "a 416 in answer to everything after a cut", [Episode.half, refusing("bytes */300000")],
      [.whole, .resume, .whole], .failed("http_status", keeping: Episode.cut)),
  ]

  private static let rest = Episode.body[Episode.resumed..<Episode.length]

  private static let wrongParts = [
    FaultRow(
      "a part without Content-Range", [Episode.half, Episode.part(rest, nil), Episode.good], [.whole, .resume, .whole],
      is: Episode.body),
    FaultRow(
      "a part of a file of unknown length",
      [Episode.half, Episode.part(rest, "bytes 84464-299999/*"), Episode.good], [.whole, .resume, .whole],
      is: Episode.body),
    FaultRow(
      "a part with a Content-Range that is none", [Episode.half, Episode.part(rest, "hello"), Episode.good],
      [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a part in another unit", [Episode.half, Episode.part(rest, "items 84464-299999/300000"), Episode.good],
      [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a part of a longer file, which is a lie",
      [Episode.half, Episode.part(rest, "bytes 84464-299999/300001"), Episode.good], [.whole, .resume, .whole],
      is: Episode.body),
    FaultRow(
      "a part that is shorter than asked for",
      [
        Episode.half,
        Episode.part(Episode.body[Episode.resumed..<200_000], "bytes 84464-199999/300000"), Episode.good,
      ], [.whole, .resume, .from(200_000 - 65_536, if: Episode.tag)], is: Episode.body),
    FaultRow(
      "a part that goes on behind the end of the file",
      [
        Episode.half,
        Episode.part(.joined([rest, .text(String(repeating: "x", count: 1000))]), "bytes 84464-299999/300000"),
        Episode.good,
      ], [.whole, .resume, .from(301_000 - 65_536, if: Episode.tag), .whole], is: Episode.body
    ).losing(1000, because: "length_changed"),
  ]
}
