import ScriptedOrigin

/// Ends of connections.
extension FaultRow {
  static let connections: [FaultRow] = cuts + resets + silences

  private static let bounds: [FaultRow] = [1, 4095, 65_535, 65_536, 65_537, 131_073, Episode.length - 1].map { offset in
    FaultRow(
      "a cut after \(offset) bytes", [Episode.good.cutting(afterBytes: offset), Episode.good],
      [.whole, .from(max(0, offset - 65_536), if: Episode.tag)], is: Episode.body)
  }

  private static let cuts =
    bounds + [
      FaultRow(
        "a cut behind the head", [Episode.good.cutting(afterBytes: 0), Episode.good], [.whole, .whole],
        is: Episode.body),
      FaultRow(
        "cuts for ever behind the head", [Episode.good.cutting(afterBytes: 0)], [.whole, .whole, .whole],
        .exhausted("connection_lost", keeping: 0)),
      FaultRow(
        "a cut before the head", [Episode.good.failingBeforeHead(.cut), Episode.good], [.whole, .whole],
        is: Episode.body),
      FaultRow(
        "cuts before the head, on the resume",
        [Episode.half, Episode.good.failingBeforeHead(.cut), Episode.good], [.whole, .resume, .resume],
        is: Episode.body),
      FaultRow(
        "a cut within the overlap", [Episode.half, Episode.good.cutting(afterBytes: 30_000), Episode.good],
        [.whole, .resume, .resume], is: Episode.body),
      FaultRow(
        "a cut at the end of the overlap", [Episode.half, Episode.good.cutting(afterBytes: 65_536), Episode.good],
        [.whole, .resume, .resume], is: Episode.body),
      FaultRow(
        "a cut one byte behind the overlap", [Episode.half, Episode.good.cutting(afterBytes: 65_537), Episode.good],
        [.whole, .resume, .from(Episode.resumed + 1, if: Episode.tag)], is: Episode.body),
      FaultRow(
        "cuts within the overlap for ever", [Episode.half, Episode.good.cutting(afterBytes: 30_000)],
        [.whole, .resume, .resume, .resume], .exhausted("connection_lost", keeping: Episode.cut)),
      FaultRow(
        "progress resets the count of attempts",
        (1...5).map { _ in Episode.good.cutting(afterBytes: 100_000) } + [Episode.good],
        [.whole] + (0..<5).map { .from(100_000 - 65_536 + $0 * (100_000 - 65_536), if: Episode.tag) },
        is: Episode.body),
      FaultRow(
        "a 200 that breaks off within what is kept",
        [
          Episode.half,
          Behaviour.resource(Episode.resource(tag: .strong("v1"), ranges: .ignored)).cutting(afterBytes: 100_000),
          Episode.good,
        ], [.whole, .resume, .resume], is: Episode.body),
      FaultRow(
        "a 200 that breaks off behind what is kept",
        [
          Episode.half,
          Behaviour.resource(Episode.resource(tag: .strong("v1"), ranges: .ignored)).cutting(afterBytes: 200_000),
          Episode.good,
        ], [.whole, .resume, .from(200_000 - 65_536, if: Episode.tag)], is: Episode.body),
    ]

  private static let resets = [
    FaultRow(
      "a reset before the head", [Episode.good.failingBeforeHead(.reset), Episode.good], [.whole, .whole],
      is: Episode.body),
    FaultRow(
      "a reset before the head, on the resume",
      [Episode.half, Episode.good.failingBeforeHead(.reset), Episode.good], [.whole, .resume, .resume],
      is: Episode.body),
    FaultRow(
      "resets for ever", [Episode.good.failingBeforeHead(.reset)], [.whole, .whole, .whole],
      .exhausted("connection_lost", keeping: 0)),
    FaultRow(
      "a reset in the middle", [Episode.good.resetting(afterBytes: 150_000), Episode.good], [.whole, .anything],
      is: Episode.body),
    FaultRow(
      "a reset in the middle of the resume",
      [Episode.half, Episode.good.resetting(afterBytes: 150_000), Episode.good], [.whole, .resume, .anything],
      is: Episode.body),
  ]

  private static let silences = [
    FaultRow(
      "silence in the middle", [Episode.good.stalling(afterBytes: Episode.cut), Episode.good], [.whole, .resume],
      is: Episode.body),
    FaultRow(
      "silence in the middle, and again on the resume",
      [
        Episode.good.stalling(afterBytes: Episode.cut), Episode.good.stalling(afterBytes: 100_000), Episode.good,
      ], [.whole, .resume, .from(Episode.resumed + 100_000 - 65_536, if: Episode.tag)], is: Episode.body),
    FaultRow(
      "silence in place of a head", [Episode.good.failingBeforeHead(.stall), Episode.good], [.whole, .whole],
      is: Episode.body),
    FaultRow(
      "silence in place of a head, on the resume",
      [Episode.half, Episode.good.failingBeforeHead(.stall), Episode.good], [.whole, .resume, .resume],
      is: Episode.body),
    FaultRow(
      "silence for ever", [Episode.good.failingBeforeHead(.stall)], [.whole, .whole, .whole],
      .exhausted("timeout", keeping: 0)),
  ]
}
