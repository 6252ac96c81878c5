import Testing

@testable import PodfluxCore

@Suite("Notes of an episode")
struct EpisodeNotesTests {
  @Test("Lines show links without what lets their holder in; everything else stays")
  func shown() {
    let notes = EpisodeNotes(
      "<p><a href=\"https://a.example/?token=secret&amp;v=1\">a</a> &amp; <a href=\"mailto:a@b.example\">b</a></p>")
    #expect(
      notes.shown
        == "<p><a href=\"https://a.example/?v=1\">a</a> &amp; <a href=\"mailto:a@b.example\">b</a></p>")
    for html in ["", "<p>a</p>", "<a href=\"https://a.example/?a=1&amp;b=2\">a</a>", "<a href=\"https://a.example"] {
      #expect(EpisodeNotes(html).shown == html)
    }
  }

  @Test("Other notes have another hash")
  func hash() {
    let texts = ["", "a", "b", "ab", "<p>a</p>"]
    #expect(Set(texts.map { EpisodeNotes($0).hash }).count == texts.count)
    #expect(EpisodeNotes("<p>a</p>").hash == EpisodeNotes("<p>a</p>").hash)
  }

  @Test("The page of a sidecar has the notes and the title as text, and loads nothing")
  func page() {
    let text = SidecarNotes(EpisodeNotes("<p>a</p>"), title: "</title><script>&").text
    #expect(text.hasPrefix("<!DOCTYPE html>\n") && text.contains("<meta charset=\"utf-8\">"))
    #expect(text.contains("content=\"default-src 'none'\""))
    #expect(text.contains("<title>&lt;/title&gt;&lt;script&gt;&amp;</title>\n</head>\n<body>\n<p>a</p>\n</body>"))
    #expect(!SidecarNotes(EpisodeNotes("<p>a</p>"), title: nil).text.contains("<title>"))
    let linked = SidecarNotes(EpisodeNotes("<a href=\"https://h.example/x?token=secret\">x</a>"), title: nil).text
    #expect(linked.contains("https://h.example/x") && !linked.contains("secret"), "\(linked)")
  }
}
