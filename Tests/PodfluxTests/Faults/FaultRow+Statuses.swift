import ScriptedOrigin

/// Refusals, delays and redirects of origins.
extension FaultRow {
  static let statuses: [FaultRow] = final + passing + throttling + redirects

  private static let final: [FaultRow] = [
    (400, "http_status"), (401, "unauthorized"), (403, "forbidden"), (404, "not_found"), (410, "gone"),
    (451, "http_status"),
  ].flatMap { status, code in
    [
      FaultRow("\(status) at first", [.status(status)], [.whole], .failed(code, keeping: 0)),
      FaultRow(
        "\(status) on the resume", [Episode.half, .status(status)], [.whole, .resume],
        .failed(code, keeping: Episode.cut)),
    ]
  }

  private static let passing: [FaultRow] = [408, 425, 500, 502, 503, 504].flatMap { status in
    [
      FaultRow("\(status) at first", [.status(status), Episode.good], [.whole, .whole], is: Episode.body),
      FaultRow(
        "\(status) at first and on the resume",
        [.status(status), Episode.half, .status(status, body: .text("later")), Episode.good],
        [.whole, .whole, .resume, .resume], is: Episode.body),
      FaultRow(
        "\(status) for ever", [.status(status)], [.whole, .whole, .whole], .exhausted("http_status", keeping: 0)),
    ]
  }

  private static let throttled = Behaviour.status(429, headers: ["Retry-After": "2"])

  private static let throttling = [
    FaultRow("429 at first", [.status(429), Episode.good], [.whole, .whole], is: Episode.body).resting(seconds: 1),
    FaultRow("429 for 2 s at first", [throttled, Episode.good], [.whole, .whole], is: Episode.body).resting(seconds: 2),
    FaultRow(
      "429 for 2 s on the resume", [Episode.half, throttled, Episode.good], [.whole, .resume, .resume], is: Episode.body
    ).resting(seconds: 1),
    FaultRow(
      "503 for 2 s", [.status(503, headers: ["Retry-After": "2"]), Episode.good], [.whole, .whole], is: Episode.body
    ).resting(seconds: 2),
    FaultRow(
      "503 until a moment that has passed",
      [.status(503, headers: ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"]), Episode.good], [.whole, .whole],
      is: Episode.body
    ).resting(seconds: 1),
    FaultRow(
      "429 for ever", [.status(429)], [.whole, .whole, .whole], .exhausted("http_status", keeping: 0)
    ).resting(seconds: 1),
  ]

  private static let home = Behaviour.redirect(to: path)

  private static let redirects = [
    FaultRow(
      "a chain of redirects", [.redirect(to: "/b")], [.whole, .whole, .whole, .whole], is: Episode.body
    ).serving("/b", [.redirect(307, to: "/c")]).serving("/c", [.redirect(301, to: "/d.mp3")])
      .serving("/d.mp3", [Episode.good]),
    FaultRow(
      "a resume begins at the first address", [.redirect(to: "/b.mp3")], [.whole, .whole, .resume, .resume],
      is: Episode.body
    ).serving("/b.mp3", [Episode.half, Episode.good]),
    FaultRow(
      "a redirect that leads to another version on the resume", [.redirect(to: "/b.mp3"), .redirect(to: "/c.mp3")],
      [.whole, .whole, .resume, .resume], is: Episode.other
    ).serving("/b.mp3", [Episode.half])
      .serving("/c.mp3", [.resource(Episode.resource(Episode.other, tag: .strong("v2")))])
      .losing(Episode.cut - Episode.common, because: "validator_changed"),
    FaultRow(
      "a loop at first", [home], Array(repeating: .whole, count: 11), .failed("too_many_redirects", keeping: 0)),
    FaultRow(
      "a loop on the resume", [Episode.half, home], [.whole] + Array(repeating: .resume, count: 11),
      .failed("too_many_redirects", keeping: Episode.cut)),
    FaultRow(
      "a redirect to a file at first", [.redirect(to: "file:///etc/passwd")], [.whole],
      .failed("unsafe_redirect", keeping: 0)),
    FaultRow(
      "a redirect to a file on the resume", [Episode.half, .redirect(to: "file:///etc/passwd")], [.whole, .resume],
      .failed("unsafe_redirect", keeping: Episode.cut)),
    FaultRow(
      "a redirect to what is gone", [.redirect(to: "/gone")], [.whole, .whole], .failed("gone", keeping: 0)
    ).serving("/gone", [.status(410)]),
    FaultRow(
      "a redirect to a log-in page, once", [.redirect(to: "/login"), Episode.good], [.whole, .whole, .whole],
      is: Episode.body
    ).serving("/login", [.status(200, headers: ["Content-Type": "text/html"], body: .text("<html>log in</html>"))]),
    FaultRow(
      "a redirect that leads nowhere", [.status(302)], [.whole], .failed("http_status", keeping: 0)),
  ]
}
