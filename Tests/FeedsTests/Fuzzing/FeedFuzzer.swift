import PodfluxCore

/// What libFuzzer calls with each input: it must be read, the same in pieces as in one, within the limits. It is
/// compiled into one module with the sources of `Feeds`, which are instrumented so that libFuzzer sees which inputs
/// reach new code.
@_cdecl("LLVMFuzzerTestOneInput")
public func readInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  precondition(FeedReading(input, inPiecesOf: max(1, count)) == FeedReading(input, inPiecesOf: 1 + count % 61))
  readList(input)
  readNotes(input)
  return 0
}

/// Everything that a document gives.
private struct FeedReading: Equatable {
  var episodes: [FeedEpisode] = []
  var podcast: FeedPodcast?
  var pages: [WebAddress] = []

  init(_ bytes: [UInt8], inPiecesOf length: Int) {
    var parser = FeedParser(address: nil)
    for start in stride(from: 0, to: bytes.count, by: length) {
      parser.parse(bytes[start..<min(start + length, bytes.count)]) { episodes.append($0) }
    }
    switch parser.finish({ episodes.append($0) }) {
    case .feed(let report):
      precondition(report.problems.first.count <= FeedLimits.maximumProblems)
      podcast = report.podcast
    case .page(let feeds): pages = feeds
    case .unknown: break
    }
  }
}

/// A list of feeds, or what is none.
private func readList(_ bytes: [UInt8]) {
  guard let list = try? OPMLReader.read(bytes) else { return }
  precondition(list.feeds.count <= OPMLLimits.maximumOutlines)
}

/// Notes are well nested and within their limit: a tag of theirs begins with one of few names, and each that begins
/// ends.
private func readNotes(_ bytes: [UInt8]) {
  let html = NotesHTML.notes(String(decoding: bytes, as: UTF8.self)).html
  precondition(html.utf8.count <= EpisodeNotes.maximumBytes)
  var open: [Substring] = []
  // By bytes: an accent may follow a tag, which is one character with its end then.
  for part in html.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).dropFirst() {
    guard let end = part.firstIndex(of: UInt8(ascii: ">")) else { preconditionFailure("a tag does not end") }
    let tag = Substring(part[..<end])
    if tag.hasPrefix("/") {
      precondition(open.popLast() == tag.dropFirst())
    } else {
      let name = tag.prefix { $0 != " " }
      guard let element = NotesElement(rawValue: String(name)) else { preconditionFailure("<\(tag)>") }
      precondition(tag == name || element == .a && tag.hasPrefix("a href=\""))
      if !element.isVoid { open.append(name) }
    }
  }
  precondition(open.isEmpty)
}
