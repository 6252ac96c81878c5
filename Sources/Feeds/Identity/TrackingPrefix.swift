/// What publishers put before an enclosure's URL so that a service counts its listeners and redirects to the file:
/// `https://pdst.fm/e/files.example/1.mp3`.
enum TrackingPrefix {
  /// The URL behind a known prefix, both without a scheme; nil if it begins with none, or if no host follows.
  static func target(of url: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let slash = url.firstIndex(of: UInt8(ascii: "/")), slash - url.startIndex <= longestHost else { return nil }
    let host = String(decoding: url[..<slash].map(\.inLowerCase), as: UTF8.self)
    guard let forms = byHost[host] else { return nil }
    let path = url[(slash + 1)...]
    for form in forms {
      if let rest = rest(of: path, behind: form), let target = target(in: rest) { return target }
    }
    return nil
  }

  /// Whether URLs at a host, in lower case, may begin with a known prefix.
  static func isKnown(host: String) -> Bool {
    host.utf8.count <= longestHost && byHost[host] != nil
  }

  /// What follows the segments of a prefix.
  private static func rest(of path: ArraySlice<UInt8>, behind segments: [Segment]) -> ArraySlice<UInt8>? {
    var rest = path
    for segment in segments {
      guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), segment.matches(rest[..<slash]) else { return nil }
      rest = rest[(slash + 1)...]
    }
    return rest
  }

  /// A URL with or without a scheme, without it. Servers that merge slashes leave `https:/`.
  private static func target(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = text
    for scheme in schemes where text.prefix(scheme.count).elementsEqual(scheme, by: { $0.inLowerCase == $1 }) {
      rest = text.dropFirst(scheme.count)
      if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
    }
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), isHost(rest[..<slash]) else { return nil }
    return rest
  }

  private static let schemes = [Array("http:/".utf8), Array("https:/".utf8)]

  /// Whether a text is the name of a host rather than a folder or a file: `files.example`, `files.example:8080`.
  private static func isHost(_ text: ArraySlice<UInt8>) -> Bool {
    let name = text.prefix { $0 != UInt8(ascii: ":") }
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count > 1, let last = labels.last, last.count >= 2, last.allSatisfy(isLetter) else { return false }
    return labels.allSatisfy { !$0.isEmpty && $0.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") } }
      && text[name.endIndex...].dropFirst().allSatisfy(isDigit)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// A segment of a prefix's path.
  private struct Segment: Sendable {
    private let text: [UInt8]
    /// Whether more must follow the text.
    private let isOpen: Bool

    init(_ pattern: Substring) {
      isOpen = pattern.last == "*"
      text = Array((isOpen ? pattern.dropLast() : pattern).utf8)
    }

    func matches(_ given: ArraySlice<UInt8>) -> Bool {
      given.starts(with: text) && (isOpen ? given.count > text.count : given.count == text.count)
    }
  }

  /// The segments of the known prefixes, by host.
  private static let byHost: [String: [[Segment]]] = {
    var byHost: [String: [[Segment]]] = [:]
    for line in known.split(separator: "\n") {
      let segments = line.split(separator: "/")
      guard let host = segments.first else { continue }
      byHost[String(host), default: []].append(segments.dropFirst().map { Segment($0) })
    }
    return byHost
  }()

  private static let longestHost = byHost.keys.map(\.utf8.count).max() ?? 0

  /// The known prefixes, each with its host and segments; a `*` stands for what differs from publisher to publisher.
  ///
  /// The shapes are those that the services document and that occur in feeds. Where a service redirects other
  /// requests too, as Blubrry does, a prefix counts only if a host follows.
  static let known = """
    dts.podtrac.com/redirect.*
    dts.podtrac.com/pts/redirect.*
    www.podtrac.com/pts/redirect.*
    podtrac.com/pts/redirect.*
    play.podtrac.com/*
    media.blubrry.com/*
    pdst.fm/e
    chtbl.com/track/*
    chrt.fm/track/*
    pscrb.fm/rss/p
    verifi.podscribe.com/rss/p
    op3.dev/e
    op3.dev/e,*
    prfx.byspotify.com/e
    mgln.ai/track
    mgln.ai/e/*
    arttrk.com/p/*
    claritaspod.com/measure
    clrtpod.com/m
    pdcn.co/e
    swap.fm/track/*
    tracking.swap.fm/track/*
    growx.podkite.com/http/*
    growx.podkite.com/https/*
    2.gum.fm
    s.gum.fm/r1/*
    s.gum.fm/s-*
    pfx.veritonicmetrics.com/*
    pfx.vpixl.com/*
    p.podderapp.com/*
    pdrl.fm/r/*/*
    pdrl.fm/*
    r.zen.ai/r
    t.glystn.com/v2/track/*
    adbarker.com/stream/*
    letscast.fm/track
    bktrks.co/t/*
    a.pdcst.to/*
    cohst.app/pdcst/*
    pdcds.co/*
    prefix.up.audio/s
    m.pfxes.com/*
    flex.acast.com
    """
}
