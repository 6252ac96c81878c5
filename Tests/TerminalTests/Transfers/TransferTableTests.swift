import Terminal
import Testing

@Suite("A table of downloads that moves")
struct TransferTableTests {
  private static let rows = [
    TransferRow(
      podcast: "The Small Print", title: "Clause 7: Termination", state: .waiting("waits: this network is metered")),
    TransferRow(podcast: "Night Trains", title: "Vienna to Hamburg", state: .done(bytes: 31_400_000)),
    TransferRow(
      podcast: "Night Trains", title: "A Night at the Border",
      state: .moving(.init(received: 18_000_000, total: 31_200_000, bytesPerSecond: 2_100_000))),
    TransferRow(
      podcast: "Old Show", title: "Pilot", state: .retrying("again in 0:42: the server answered 503")),
    TransferRow(
      podcast: "深夜電車", title: "日本の夜行列車と駅弁の歴史 👨‍👩‍👧‍👦",
      state: .moving(.init(received: 1_240_000_000, total: 1_900_000_000, bytesPerSecond: 112_000_000))),
    TransferRow(
      podcast: "Live", title: "A stream\u{1B}[2J of unknown length",
      state: .moving(.init(received: 512, total: nil, bytesPerSecond: 0))),
    TransferRow(podcast: "Old Show", title: "Gone", state: .failed("404 Not Found")),
  ]
  private static let summary = TransferSummary(
    done: 3, of: 9, failed: 1, received: 80_000_000, total: 240_000_000, bytesPerSecond: 4_300_000)

  private func screen(_ columns: Int, _ rows: Int = 24) -> [String] {
    var table = TransferTable()
    let frame = table.frame(Self.rows, summary: Self.summary, on: TerminalSize(columns: columns, rows: rows))
    return (frame.finished + frame.lines).map(\.text)
  }

  @Test("At 120 columns")
  func wide() {
    let expected = """
      ✓ Night Trains     Vienna to Hamburg                                              31.4 MB
      ✗ Old Show         Gone                            404 Not Found
        Night Trains     A Night at the Border           ━━━━━━━━━━━━━╸╌╌╌╌╌╌╌╌╌╌  18.0/31.2 MB  2.1 MB/s   0:07
        深夜電車         日本の夜行列車と駅弁の歴史 👨‍👩‍👧‍👦   ━━━━━━━━━━━━━━━╸╌╌╌╌╌╌╌╌    1.2/1.9 GB  112 MB/s   0:06
        Live             A stream�[2J of unknown length  ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     512 bytes
        Old Show         Pilot                           again in 0:42: the server answered 503
        The Small Print  Clause 7: Termination           waits: this network is metered
        3 of 9 · 1 failed · 80.0 MB of 240 MB · 4.3 MB/s · 0:38 left
      """
    #expect(screen(120).joined(separator: "\n") == expected)
  }

  @Test("At 80 columns")
  func usual() {
    let expected = """
      ✓ Night Trains    Vienna to Hamburg                    31.4 MB
      ✗ Old Show        Gone                            404 Not Found
        Night Trains    A Night at the Border           18.0/31.2 MB  2.1 MB/s   0:07
        深夜電車        日本の夜行列車と駅弁の歴史 👨‍👩‍👧‍👦     1.2/1.9 GB  112 MB/s   0:06
        Live            A stream�[2J of unknown length     512 bytes
        Old Show        Pilot                           again in 0:42: the server ans…
        The Small Pri…  Clause 7: Termination           waits: this network is metered
        3 of 9 · 1 failed · 80.0 MB of 240 MB · 4.3 MB/s · 0:38 left
      """
    #expect(screen(80).joined(separator: "\n") == expected)
  }

  @Test("At 40 columns")
  func narrow() {
    let expected = """
      ✓ Vienna to H…       31.4 MB
      ✗ Gone          404 Not Found
        A Night at …  18.0/31.2 MB
        日本の夜行…     1.2/1.9 GB
        A stream�[2…     512 bytes
        Pilot         again in 0:42: the serv…
        Clause 7: T…  waits: this network is …
        3 of 9 · 1 failed · 0:38 left
      """
    #expect(screen(40).joined(separator: "\n") == expected)
  }

  @Test("At 200 columns")
  func widest() {
    let expected = """
      ✓ Night Trains     Vienna to Hamburg                                              31.4 MB
      ✗ Old Show         Gone                            404 Not Found
        Night Trains     A Night at the Border           ━━━━━━━━━━━━━╸╌╌╌╌╌╌╌╌╌╌  18.0/31.2 MB  2.1 MB/s   0:07
        深夜電車         日本の夜行列車と駅弁の歴史 👨‍👩‍👧‍👦   ━━━━━━━━━━━━━━━╸╌╌╌╌╌╌╌╌    1.2/1.9 GB  112 MB/s   0:06
        Live             A stream�[2J of unknown length  ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     512 bytes
        Old Show         Pilot                           again in 0:42: the server answered 503
        The Small Print  Clause 7: Termination           waits: this network is metered
        3 of 9 · 1 failed · 80.0 MB of 240 MB · 4.3 MB/s · 0:38 left
      """
    #expect(screen(200).joined(separator: "\n") == expected)
  }

  @Test("No line is wider than the terminal, whatever its size")
  func widths() {
    for columns in Array(1...100) + [119, 120, 121, 200, 220] {
      var table = TransferTable()
      let frame = table.frame(Self.rows, summary: Self.summary, on: TerminalSize(columns: columns, rows: 24))
      #expect(frame.lines.allSatisfy { $0.width <= columns && $0.text.displayWidth == $0.width }, "\(columns)")
      #expect(frame.finished.count == 2 && frame.lines.count == 6)
    }
  }

  @Test("Long names give way before the bar does, and the bar before usual ones")
  func longNames() {
    var table = TransferTable()
    let long = TransferRow(
      podcast: String(repeating: "podcast ", count: 10), title: String(repeating: "title ", count: 30),
      state: .moving(.init(received: 5_000_000, total: 10_000_000, bytesPerSecond: 1_000_000)))
    let frame = table.frame([long], summary: Self.summary, on: TerminalSize(columns: 120, rows: 24))
    let line = frame.lines[0].text
    #expect(line.contains("━") && line.contains("…") && line.contains("0:05"))
    #expect(frame.lines[0].width == 120)
  }

  @Test("A podcast whose name would be unreadable is left out, and its room goes to the title")
  func noPodcast() {
    #expect(screen(58)[2] == "  A Night at the Border     18.0/31.2 MB  2.1 MB/s   0:07")
    #expect(screen(72)[2] == "  Night Trains  A Night at the Border     18.0/31.2 MB  2.1 MB/s   0:07")
  }

  @Test("What moves comes first, then what is tried again, then what waits; the others are counted", arguments: 1...12)
  func limit(rows: Int) {
    let waiting = (1...6).map { TransferRow(podcast: "p", title: "w\($0)", state: .waiting("queued")) }
    let again = (1...2).map { TransferRow(podcast: "p", title: "r\($0)", state: .retrying("again in 0:01")) }
    let moving = (1...3).map {
      TransferRow(podcast: "p", title: "m\($0)", state: .moving(.init(received: 1, total: 2, bytesPerSecond: 1)))
    }
    var table = TransferTable(maximumLines: 9)
    let frame = table.frame(waiting + again + moving, summary: Self.summary, on: TerminalSize(columns: 100, rows: rows))
    let texts = frame.lines.map(\.text)
    let allowed = max(1, min(rows - 1, 9))
    #expect(texts.count == allowed && texts.last == "  3 of 9 · 1 failed · 80.0 MB of 240 MB · 4.3 MB/s · 0:38 left")
    let listed = texts.dropLast(2).map { $0.split(separator: " ")[1] }
    #expect(listed == ["m1", "m2", "m3", "r1", "r2", "w1", "w2"].prefix(max(0, allowed - 2)).map { Substring($0) })
    if allowed > 1 { #expect(texts[allowed - 2] == "  … and \(11 - max(0, allowed - 2)) more") }
  }

  @Test("Where all have a line none is counted, except those that the caller does not list")
  func unlisted() {
    var table = TransferTable()
    let row = TransferRow(podcast: "p", title: "t", state: .waiting("queued"))
    let size = TerminalSize(columns: 80, rows: 24)
    #expect(table.frame([row, row], summary: Self.summary, on: size).lines.count == 3)
    let frame = table.frame([row, row], unlisted: 1998, summary: Self.summary, on: size)
    #expect(frame.lines.count == 4 && frame.lines[2].text == "  … and 1998 more")
    #expect(table.frame(Array(repeating: row, count: 22), summary: Self.summary, on: size).lines.count == 12)
  }

  @Test("Columns do not jump back when a long row is gone")
  func steadiness() {
    var table = TransferTable()
    let size = TerminalSize(columns: 120, rows: 24)
    func row(_ title: String) -> TransferRow {
      TransferRow(
        podcast: "p", title: title, state: .moving(.init(received: 5, total: 10, bytesPerSecond: 1)))
    }
    _ = table.frame([row("a title of thirty columns long"), row("b")], summary: Self.summary, on: size)
    let later = table.frame([row("b")], summary: Self.summary, on: size).lines[0].text
    #expect(later.hasPrefix("  p  b                               ━"))
  }

  @Test("A narrow summary loses the bytes first, then the rate")
  func summary() {
    func line(_ columns: Int) -> String? {
      var table = TransferTable()
      return table.frame([], summary: Self.summary, on: TerminalSize(columns: columns, rows: 24)).lines.last?.text
    }
    #expect(line(70) == "  3 of 9 · 1 failed · 80.0 MB of 240 MB · 4.3 MB/s · 0:38 left")
    #expect(line(50) == "  3 of 9 · 1 failed · 4.3 MB/s · 0:38 left")
    #expect(line(36) == "  3 of 9 · 1 failed · 0:38 left")
    #expect(line(12) == "  3 of 9 · …")
  }
}
