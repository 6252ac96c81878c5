/// The show notes of an episode, as the library keeps them: what its feed says of it at length.
package struct EpisodeNotes: Hashable, Sendable {
  /// The longest notes, in bytes.
  package static let maximumBytes = 256 << 10

  /// HTML in which nothing can act, as `NotesHTML` makes it: elements that lay out text, and links. Empty if the feed
  /// says nothing of the episode.
  package let html: String

  /// Takes HTML as `NotesHTML` makes it.
  package init(_ html: String) {
    self.html = html
  }

  /// Whether the feed says nothing of the episode.
  package var isEmpty: Bool { html.isEmpty }

  /// 64 bits that follow from the text: a refresh writes notes only if they differ. Cost: linear in the text.
  package var hash: Int64 {
    var hash = FieldHash()
    hash.add(html)
    return hash.value
  }

  /// The notes as lines and files show them: links without what lets their holder in (`SecretParts`). Cost: linear in
  /// the text; notes without such a link are not copied.
  package var shown: String {
    var (shown, rest) = ("", html[...])
    while let start = rest.firstRange(of: Self.linkStart)?.upperBound {
      let link = rest[start...].prefix { $0 != "\"" }
      shown += rest[..<start] + Self.shown(link)
      rest = rest[link.endIndex...]
    }
    return shown.isEmpty ? html : shown + rest
  }

  private static let linkStart = "<a href=\""

  /// An address as it stands between quotes.
  private static func shown(_ link: Substring) -> String {
    let address = String(link).replacing("&amp;", with: "&")
    let shown = SecretParts.removed(from: address)
    return shown == address ? String(link) : shown.replacing("&", with: "&amp;")
  }
}
