import Feeds
import Testing

@Suite("Durations of feeds")
struct FeedDurationTests {
  @Test(
    "Durations that publishers write",
    arguments: [
      ("1:02:03", 3723), ("01:02:03", 3723), ("1:02:03.9", 3723), (" 1 : 02 : 03 ", 3723), ("62:03", 3723),
      ("62:75", 3795), (":30", 30), ("0:00:00", 0), ("3723", 3723), ("3723.5", 3723), ("3723s", 3723), ("1h 2m", 3720),
      ("1h2m3s", 3723), ("1 hr 2 min", 3720), ("1 Hour 2 Minutes 3 Seconds", 3723), ("62 min", 3720),
      ("62 mins.", 3720),
      ("PT1H2M3S", 3723), ("pt62m", 3720), ("2m 1h", nil), ("1h 1h", nil), ("", nil), (" ", nil), ("-5", nil),
      ("1:2:3:4", nil), ("1:", nil), ("::", nil), ("about an hour", nil), ("1h and a bit", nil), ("3723000", nil),
      ("999999999:999999999:999999999", nil), ("9999999999", nil), ("1000:00:00", 3_600_000), ("1000:00:01", nil),
      (String(repeating: "1", count: 65), nil), ("1h30", 5400), ("01h02", 3720), ("1m30", 90), ("1.5h", 5400),
      ("1,25 min", 75), ("PT1.5H", 5400), ("1h 2m 3", 3723),
      ("1.02.03", nil), ("1,02.03h", nil), ("1.020304.05 h", nil), ("1:02:03.4.5", nil), ("1:02:03,5", 3723),
      ("3723.", 3723),
      ("1 hr. 2 min.", 3720), ("2 hrs. 3 secs.", 7203), ("1 h. 2 m. 3 s.", 3723), ("1. hr. 2", 3720),
    ] as [(String, Int64?)])
  func durations(text: String, expected: Int64?) {
    #expect(FeedDuration.parse(text) == expected)
  }
}
