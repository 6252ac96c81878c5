import Terminal
import Testing

@Suite("Tables of results")
struct TextTableTests {
  private static let feeds: TextTable = {
    var table = TextTable(
      [
        .init("feed"), .init("episodes", .trailing), .init("here", .trailing), .init("newest"), .init("next"),
        .init("state"),
      ],
      narrowings: [
        .shrink(0, to: 30), .drop(4), .shrink(5, to: 12), .drop(3), .drop(1), .shrink(0, to: 12), .shrink(5, to: 0),
      ])
    for row in [
      ["Night Trains", "412", "3", "2026-03-27", "14:20", "ok"],
      ["Old Show", "88", "88", "2021-05-02", "tomorrow", "401 Unauthorized"],
      ["深夜電車の時間 – 日本の鉄道についてのポッドキャスト", "7", "0", "2026-02-01", "15:00", "ok"],
      ["A Podcast\u{1B}[2J With a Very Long Name About Clauses", "12345", "10", "", "", "gone 👨‍👩‍👧‍👦"],
    ] {
      table.add(row.map { StyledText($0) })
    }
    return table
  }()

  @Test("Without a limit nothing is truncated")
  func whole() {
    let expected = """
      FEED                                                 EPISODES  HERE  NEWEST      NEXT      STATE
      Night Trains                                              412     3  2026-03-27  14:20     ok
      Old Show                                                   88    88  2021-05-02  tomorrow  401 Unauthorized
      深夜電車の時間 – 日本の鉄道についてのポッドキャスト         7     0  2026-02-01  15:00     ok
      A Podcast�[2J With a Very Long Name About Clauses       12345    10                        gone 👨‍👩‍👧‍👦
      """
    #expect(Self.feeds.lines().map(\.text).joined(separator: "\n") == expected)
  }

  @Test("Without a limit a very long text pads no other row to its length, and is whole")
  func long() {
    var table = TextTable([.init("id"), .init("title"), .init("state")])
    let title = String(repeating: "x", count: 300)
    for row in [["a", title, "ok"], ["b", "y", "ok"]] { table.add(row.map { StyledText($0) }) }
    let gap = String(repeating: " ", count: 59)
    #expect(table.lines().map(\.text).suffix(2) == ["a   \(title)  ok", "b   y\(gap)  ok"])
  }

  @Test("In a narrow terminal columns give way in their order, and no line is wider", arguments: [40, 80, 120, 200])
  func narrow(columns: Int) {
    let lines = Self.feeds.lines(toWidth: columns)
    #expect(lines.count == 5 && lines.allSatisfy { $0.width <= columns && $0.text.displayWidth == $0.width })
    let titles = lines[0].text.split(separator: " ").map { String($0) }
    #expect(columns < 120 || titles.count == 6)
    if columns >= 120 { #expect(lines == Self.feeds.lines()) }
  }

  @Test("At 80 columns")
  func usual() {
    let expected = """
      FEED                            EPISODES  HERE  NEWEST      STATE
      Night Trains                         412     3  2026-03-27  ok
      Old Show                              88    88  2021-05-02  401 Unauthorized
      深夜電車の時間 – 日本の鉄道に…         7     0  2026-02-01  ok
      A Podcast�[2J With a Very Lon…     12345    10              gone 👨‍👩‍👧‍👦
      """
    #expect(Self.feeds.lines(toWidth: 80).map(\.text).joined(separator: "\n") == expected)
  }

  @Test("At 40 columns")
  func small() {
    let expected = """
      FEED                  HERE  STATE
      Night Trains             3  ok
      Old Show                88  401 Unautho…
      深夜電車の時間 – 日…     0  ok
      A Podcast�[2J With …    10  gone 👨‍👩‍👧‍👦
      """
    #expect(Self.feeds.lines(toWidth: 40).map(\.text).joined(separator: "\n") == expected)
  }

  @Test("However narrow it is, no line wraps")
  func narrowest() {
    for columns in 0...130 {
      #expect(Self.feeds.lines(toWidth: columns).allSatisfy { $0.width <= columns }, "\(columns)")
    }
  }

  @Test("Titles are strong where styles are used")
  func titles() {
    var table = TextTable([.init("id"), .init("größe", .trailing)])
    table.add([StyledText("a"), StyledText("1", .good)])
    #expect(table.lines()[0].rendered(usesColor: true).contains("\u{1B}[1mGRÖSSE\u{1B}[0m"))
    #expect(table.lines().map(\.text) == ["ID  GRÖSSE", "a        1"])
  }
}
