import PodfluxCore
import Testing

@Suite("Content-Range")
struct ContentRangeTests {
  @Test(
    "is parsed in each of its forms",
    arguments: [
      ("bytes 0-499/1234", ContentRange.bytes(first: 0, last: 499, total: 1234)),
      ("bytes 0-499/*", .bytes(first: 0, last: 499, total: nil)),
      ("bytes */1234", .unsatisfied(total: 1234)),
      ("BYTES 5-5/6", .bytes(first: 5, last: 5, total: 6)),
      ("bytes 0-9007199254740991/9007199254740992", .bytes(first: 0, last: (1 << 53) - 1, total: 1 << 53)),
    ])
  func wellFormed(text: String, range: ContentRange) {
    #expect(ContentRange(text) == range)
  }

  @Test(
    "is refused in any other form",
    arguments: [
      "", "bytes", "bytes ", "bytes 0-499", "bytes=0-499/1234", "bytes  0-499/1234", " bytes 0-499/1234",
      "bytes 0-499/1234 ", "bytes 0 - 499/1234", "bytes -499/1234", "bytes 0-/1234", "bytes 0-499/",
      "bytes +0-499/1234",
      "bytes 500-499/1234", "bytes 0-1234/1234", "bytes 0-499/499", "bytes */*", "bytes 0-1-2/5", "bytes 0-1/5/5",
      "octets 0-1/5", "bytes 0-9007199254740993/*", "bytes 0-1/99999999999999999999999", "bytes ٠-١/٥",
      "bytes 0-9007199254740992/9007199254740992",
    ])
  func malformed(text: String) {
    #expect(ContentRange(text) == nil)
  }
}
