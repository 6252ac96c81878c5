/// What a sidecar of the kind `notes` says of an episode: a page with its notes, for browsers and players.
package struct SidecarNotes: Hashable, Sendable {
  /// The text of the file, in UTF-8. The page loads nothing, and says so to programs that show it. Its links are
  /// without what lets their holder in: people pass files on.
  package let text: String

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - notes: The notes of an episode.
  ///   - title: Plain text.
  package init(_ notes: EpisodeNotes, title: String?) {
    let title = title.map { "<title>\(Self.escaped($0))</title>\n" } ?? ""
    text = """
      <!DOCTYPE html>
      <html>
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'">
      \(title)</head>
      <body>
      \(notes.shown)
      </body>
      </html>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
