import PodfluxCore

/// What a refresh has found and not told, in pages: as many episodes as a report tells of, and as many of their notes.
struct PagedNews<Element> {
  private var elements: [Element] = []
  /// The bytes of the notes of all elements.
  private(set) var notesBytes = 0
  private let notes: (Element) -> EpisodeNotes?

  /// - Parameter notes: The notes of an element.
  init(_ notes: @escaping (Element) -> EpisodeNotes?) {
    self.notes = notes
  }

  var count: Int { elements.count }

  /// Whether the first page is full: a report has no room for more.
  var isPageFull: Bool {
    count >= RefreshReport.episodesAtOnce || notesBytes >= RefreshReport.notesBytesAtOnce
  }

  mutating func append(_ element: Element) {
    elements.append(element)
    notesBytes += bytes(of: element)
  }

  /// Takes the first page.
  mutating func takePage() -> [Element] {
    // Most feeds have one page: it is handed over as it is.
    if count <= RefreshReport.episodesAtOnce, notesBytes < RefreshReport.notesBytesAtOnce {
      defer { (elements, notesBytes) = ([], 0) }
      return elements
    }
    var (end, bytes) = (0, 0)
    while end < min(count, RefreshReport.episodesAtOnce), bytes < RefreshReport.notesBytesAtOnce {
      bytes += self.bytes(of: elements[end])
      end += 1
    }
    defer { notesBytes -= bytes }
    defer { elements.removeFirst(end) }
    return Array(elements[..<end])
  }

  private func bytes(of element: Element) -> Int { notes(element)?.html.utf8.count ?? 0 }
}
