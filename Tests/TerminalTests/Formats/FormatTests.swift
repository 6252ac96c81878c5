import Terminal
import Testing

@Suite("Numbers for people")
struct FormatTests {
  @Test(
    "Byte counts have about three digits",
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (-5, "0 bytes"), (2, "2 bytes"), (999, "999 bytes"), (1000, "1.0 kB"),
      (1049, "1.0 kB"), (1050, "1.1 kB"), (99_949, "99.9 kB"), (99_950, "100 kB"), (999_499, "999 kB"),
      (999_500, "1.0 MB"), (31_400_000, "31.4 MB"), (80_000_000, "80.0 MB"), (240_000_000, "240 MB"),
      (1_234_567_890, "1.2 GB"), (21_000_000_000, "21.0 GB"), (5_000_000_000_000, "5.0 TB"), (.max, "9.2 EB"),
    ] as [(Int64, String)])
  func bytes(count: Int64, expected: String) {
    #expect(ByteCount(count).description == expected)
  }

  @Test(
    "A part of a whole is told in the whole's unit, or in its own where that is smaller, from gigabytes on",
    arguments: [
      (18_000_000, 31_200_000, "18.0/31.2 MB"), (0, 31_200_000, "0.0/31.2 MB"), (999_600, 31_200_000, "1.0/31.2 MB"),
      (400_000, 31_200_000, "0.4/31.2 MB"), (512, 31_200_000, "0.0/31.2 MB"),
      (18_000_000, 1_200_000_000, "18.0 MB/1.2 GB"),
      (120_000_000, 240_000_000, "120/240 MB"), (31_200_000, 31_200_000, "31.2/31.2 MB"), (5, 900, "5/900 bytes"),
      (0, 0, "0/0 bytes"), (0, 2_000_000_000, "0.0 MB/2.0 GB"), (1_500_000_000, 2_000_000_000_000, "1.5 GB/2.0 TB"),
      (18_000_000, nil, "18.0 MB"), (40_000_000, 31_200_000, "40.0/31.2 MB"),
    ] as [(Int64, Int64?, String)])
  func part(count: Int64, whole: Int64?, expected: String) {
    #expect(ByteCount(count).of(whole.map { ByteCount($0) }) == expected)
  }

  @Test(
    "Rates", arguments: [(0, "0.0 kB/s"), (512, "0.5 kB/s"), (2_100_000, "2.1 MB/s"), (112_000_000, "112 MB/s")])
  func rates(count: Int64, expected: String) {
    #expect(ByteCount(count).perSecond == expected)
  }

  @Test(
    "Times take at most seven columns",
    arguments: [
      (-3, "0:00"), (0, "0:00"), (6, "0:06"), (42, "0:42"), (60, "1:00"), (754, "12:34"), (3599, "59:59"),
      (3723, "1:02:03"),
      (35_999, "9:59:59"), (36_000, "10 h"), (359_999, "99 h"), (360_000, "4 days"), (8_639_999, "99 days"),
      (8_640_000, "months"), (.max, "months"),
    ] as [(Int64, String)])
  func times(seconds: Int64, expected: String) {
    let text = TimeLeft(seconds: seconds).description
    #expect(text == expected && text.count <= 7)
  }

  @Test("The time that is left is rounded up, and unknown without a rate")
  func left() {
    #expect(TimeLeft(bytes: 13_200_000, at: 2_100_000)?.description == "0:07")
    #expect(TimeLeft(bytes: 0, at: 1)?.description == "0:00")
    #expect(TimeLeft(bytes: 5, at: 0) == nil && TimeLeft(bytes: -1, at: 5) == nil)
    #expect(TimeLeft(bytes: .max, at: 1)?.description == "months")
  }
}
