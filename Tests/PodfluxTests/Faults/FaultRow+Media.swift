import ScriptedOrigin

/// Other content instead of the episode: each at first, on the resume, on both, and always.
extension FaultRow {
  static let media: [FaultRow] =
    impostors.flatMap { impostor in
      [
        FaultRow("\(impostor.name), at first", [impostor.answer, Episode.good], [.whole, .whole], is: Episode.body),
        FaultRow(
          "\(impostor.name), on the resume", [Episode.half, impostor.answer, Episode.good], [.whole, .resume, .resume],
          is: Episode.body),
        FaultRow(
          "\(impostor.name), at first and on the resume",
          [impostor.answer, Episode.half, impostor.answer, Episode.good], [.whole, .whole, .resume, .resume],
          is: Episode.body),
      ]
    } + tiny + slow + forEver

  private static func answer(_ type: String, _ body: Body) -> Behaviour {
    .status(200, headers: ["Content-Type": type], body: body)
  }

  private static let page = Body.text(
    "<!DOCTYPE html><html><head><title>Log in</title></head>" + String(repeating: "<p>Welcome</p>", count: 400))
  private static let json = Body.text(
    #"{"error":{"code":500,"message":"the episode is not here at the moment, try again"}}"#)
  private static let picture = Body.joined([.bytes([0xFF, 0xD8, 0xFF, 0xE0]), .stamped(length: 20_000, seed: 4)])
  private static let encoded = Resource(
    Episode.body, entityTag: .strong("v1"), ranges: .ignored, headers: ["Content-Encoding": "gzip"])

  private static let impostors: [(name: String, answer: Behaviour)] = [
    ("a web page", answer("text/html; charset=utf-8", page)),
    ("a web page called audio", answer("audio/mpeg", page)),
    ("JSON called audio", answer("audio/mpeg", json)),
    ("a picture called audio", answer("audio/mpeg", picture)),
    ("an encoded file", .resource(encoded)),
  ]

  /// 100 bytes of no format.
  private static let fragment = answer("audio/mpeg", Body.stamped(length: 8292, seed: 77)[8192..<8292])

  private static let tiny = [
    FaultRow("a tiny body, at first", [fragment, Episode.good], [.whole, .whole], is: Episode.body)
      .losing(100, because: "not_media"),
    FaultRow(
      "a tiny body, on the resume", [Episode.half, fragment, Episode.good], [.whole, .resume, .resume],
      is: Episode.body),
    FaultRow(
      "a tiny body without a length, on the resume", [Episode.half, fragment.framed(.chunked), Episode.good],
      [.whole, .resume, .resume], is: Episode.body),
    FaultRow(
      "a tiny body, at first, where the hash is known", [fragment, Episode.good], [.whole, .whole], is: Episode.body
    )
    .proven(by: Episode.body).losing(100, because: "not_media"),
    FaultRow(
      "a tiny body, on the resume, where the hash is known", [Episode.half, fragment, Episode.good],
      [.whole, .resume, .resume], is: Episode.body
    ).proven(by: Episode.body),
  ]

  private static let slow = [
    FaultRow(
      "JSON called audio that trickles in, on the resume",
      [Episode.half, answer("audio/mpeg", json).limited(toBytesPerSecond: 100), Episode.good],
      [.whole, .resume, .resume], is: Episode.body),
    FaultRow(
      "the beginning of something else that breaks off, on the resume",
      [Episode.half, fragment.cutting(afterBytes: 40), Episode.good], [.whole, .resume, .resume], is: Episode.body),
  ]

  private static let feed = Body.text(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- generator=\"x\" -->\n<rss version=\"2.0\"><channel>"
      + String(repeating: "<item><title>A show</title></item>", count: 400))

  private static let forEver = [
    FaultRow("a feed", [answer("application/rss+xml", feed)], [.whole], .failed("not_media", keeping: 0)),
    FaultRow("a feed called audio", [answer("audio/mpeg", feed)], [.whole], .failed("not_media", keeping: 0)),
    FaultRow(
      "a feed called audio that trickles in",
      [answer("audio/mpeg", Body.text("<!-- made today --><opml><head>")).limited(toBytesPerSecond: 30)], [.whole],
      .failed("not_media", keeping: 0)
    ).losingSome(because: "not_media"),
    FaultRow(
      "a feed on the resume", [Episode.half, answer("audio/mpeg", feed)], [.whole, .resume],
      .failed("not_media", keeping: Episode.cut)),
    FaultRow(
      "a web page for ever", [answer("text/html", page)], [.whole, .whole, .whole],
      .exhausted("not_media", keeping: 0)),
    FaultRow(
      "a web page for ever after a cut", [Episode.half, answer("audio/mpeg", page)],
      [.whole, .resume, .resume, .resume],
      .exhausted("not_media", keeping: Episode.cut)),
    FaultRow(
      "a page as the part that was asked for",
      [
        Episode.half,
        .status(
          206, headers: ["Content-Type": "text/html", "Content-Range": "bytes 84464-299999/300000"],
          body: page), Episode.good,
      ], [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "a page as a part called audio",
      [
        Episode.half,
        .status(
          206, headers: ["Content-Type": "audio/mpeg", "Content-Range": "bytes 84464-299999/300000"],
          body: page), Episode.good,
      ], [.whole, .resume, .whole], is: Episode.body),
    FaultRow(
      "audio without a type", [.resource(Resource(Episode.body, mediaType: nil))], [.whole], is: Episode.body),
    FaultRow(
      "audio of a type that says nothing", [.resource(Resource(Episode.body, mediaType: "binary/octet-stream"))],
      [.whole],
      is: Episode.body),
  ]
}
