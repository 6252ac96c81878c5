import Flux
import PodfluxCore
import Testing

@testable import EngineRuntime

/// Notes are read where they are wanted, and only then.
extension RefreshAttemptTests {
  private static let wanted = {
    var settings = Settings()
    settings.sidecars = SidecarKinds([.notes])
    return settings
  }()

  private static func rss(_ notes: [String]) -> String {
    let items = notes.enumerated().map { index, text in
      "<item><guid>g\(index)</guid><title>\(index)</title><description>\(text)</description></item>"
    }
    return "<rss version=\"2.0\"><channel><title>Show</title>\(items.joined())</channel></rss>"
  }

  /// The feed as a refresh has left it.
  private func feed(after news: [RefreshReport.News]) throws -> Feed {
    let findings = try findings(news.last)
    return try feed {
      $0.podcast = PodcastContent(title: "Show")
      $0.refreshes.validators = findings.validators
      $0.refreshes.last = now.wall
      $0.episodes = Int64(rows.traces.count)
    }
  }

  private func told(_ news: [RefreshReport.News]) -> [String?] {
    news.flatMap { news -> [String?] in
      switch news {
      case .appeared(let contents): contents.map { $0.notes?.html }
      case .changed(let changes): changes.map { $0.content.notes?.html }
      default: []
      }
    }
  }

  @Test("Without the setting descriptions are not read, and the body counts as one without notes")
  func withoutNotes() throws {
    let news = try run(try feed(), [Self.address: Answer(body: Self.rss(["a"]))]).news
    #expect(told(news) == [nil])
    #expect(try !findings(news.last).validators.hasNotes)
  }

  @Test("With the setting notes come with new episodes, and with those whose notes have changed, and with no others")
  func withNotes() throws {
    let first = try run(try feed(), with: Self.wanted, [Self.address: Answer(body: Self.rss(["a", "", "c", "d"]))]).news
    #expect(told(first) == ["<p>a</p>", nil, "<p>c</p>", "<p>d</p>"])
    #expect(try findings(first.last).validators.hasNotes)
    let second = try run(
      try feed(after: first), with: Self.wanted, [Self.address: Answer(body: Self.rss(["a", "b", "", "D"]))]
    ).news
    #expect(told(second) == ["<p>b</p>", "", "<p>D</p>"])
    #expect(rows.traces.map { $0.notesHash == nil } == [false, false, true, false])
    let third = try run(
      try feed(after: second), with: Self.wanted, [Self.address: Answer(body: Self.rss(["a", "b", "", "D"]) + " ")]
    ).news
    #expect(third.count == 1)
  }

  @Test("When the setting comes, a body that has not changed is read once more, and is not distrusted for it")
  func unchangedBody() throws {
    let answer = Answer(body: Self.rss(["a"]), fields: [("ETag", "\"v1\"")])
    let without = try run(try feed(), [Self.address: answer]).news
    let known = try feed(after: without)
    // The server would say that nothing has changed.
    let (news, requests) = try run(known, with: Self.wanted, [Self.address: answer])
    #expect(requests[0].ownFields.allSatisfy { !$0.name.hasPrefix("If-") })
    #expect(told(news) == ["<p>a</p>"])
    let validators = try findings(news.last).validators
    #expect(validators.hasNotes && !validators.isDistrusted && validators.bodyHash != nil)
    // Now the next one asks whether something has changed, and what comes again is not read.
    let reads = rows.reads
    let (again, next) = try run(try feed(after: news), with: Self.wanted, [Self.address: answer])
    #expect(next[0].ownFields.contains { $0.name == "If-None-Match" })
    #expect(again.count == 1 && rows.reads == reads)
    #expect(try findings(again.last).validators.hasNotes)
    let (unchanged, _) = try run(try feed(after: again), with: Self.wanted, [Self.address: Answer(status: 304)])
    #expect(try findings(unchanged.last).validators.hasNotes)
    // Without the setting the same body keeps its mark: its notes are in the library.
    let off = try run(try feed(after: again), [Self.address: answer]).news
    #expect(try findings(off.last).validators.hasNotes)
    // Another one loses it.
    let other = try run(try feed(after: again), [Self.address: Answer(body: Self.rss(["b"]))]).news
    #expect(try !findings(other.last).validators.hasNotes)
  }

  @Test("Another body under the same tag is distrusted if only its notes differ")
  func distrustedNotes() throws {
    let first = Answer(body: Self.rss(["a"]), fields: [("ETag", "\"v1\"")])
    let news = try run(try feed(), with: Self.wanted, [Self.address: first]).news
    let other = Answer(body: Self.rss(["b"]), fields: [("ETag", "\"v1\"")])
    let changed = try run(try feed(after: news), with: Self.wanted, [Self.address: other]).news
    #expect(try findings(changed.last).validators.isDistrusted)
  }

  @Test("A report has no more than some notes, and what is too much in all is left to the next refresh")
  func bounds() throws {
    let long = String(repeating: "x", count: 200_000)
    let texts = (0..<40).map { "\(long) \($0)" }
    let news = try run(try feed(), with: Self.wanted, [Self.address: Answer(body: Self.rss(texts))]).news
    let pages = news.compactMap { if case .appeared(let contents) = $0 { contents } else { nil } }
    #expect(pages.flatMap { $0 }.count == 40 && pages.count > 4)
    for page in pages {
      let bytes = page.reduce(0) { $0 + ($1.notes?.html.utf8.count ?? 0) }
      #expect(bytes < RefreshReport.notesBytesAtOnce + EpisodeNotes.maximumBytes)
    }
    #expect(try findings(news.last).validators.hasNotes)

    // All of it comes at once.
    rows.traces = []
    let many = (0..<90).map { "\(long) \($0)" }
    let body = Answer(body: Self.rss(many))
    let first = try run(try feed(), with: Self.wanted, pieces: .max, [Self.address: body]).news
    #expect(rows.traces.count == 90)
    let left = rows.traces.count { $0.notesHash == nil }
    #expect(left > 0 && left < 20)
    #expect(try !findings(first.last).validators.hasNotes)
    let second = try run(try feed(after: first), with: Self.wanted, pieces: .max, [Self.address: body]).news
    #expect(told(second).count == left)
    #expect(rows.traces.allSatisfy { $0.notesHash != nil })
    #expect(try findings(second.last).validators.hasNotes)
  }
}
