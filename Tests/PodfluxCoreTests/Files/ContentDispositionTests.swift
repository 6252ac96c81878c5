import PodfluxCore
import Testing

@Suite("The file name in a Content-Disposition header")
struct ContentDispositionTests {
  @Test(
    "is parsed according to RFC 6266 and RFC 8187",
    arguments: [
      ("attachment; filename=\"ep 1.mp3\"", "ep 1.mp3"), ("attachment; filename=ep.mp3", "ep.mp3"),
      ("ATTACHMENT ; FILENAME = ep.mp3 ; size=3", "ep.mp3"), ("filename=ep.mp3", "ep.mp3"),
      ("attachment; filename=\"a\\\"b;c.mp3\"; x=y", "a\"b;c.mp3"),
      ("attachment; filename=plain.mp3; filename*=UTF-8''na%C3%AFve.mp3", "naïve.mp3"),
      ("attachment; filename*=utf-8'en'%e2%82%ac.mp3", "€.mp3"),
      ("attachment; filename*=ISO-8859-1''%e9.mp3", "é.mp3"),
      ("attachment; filename*=UTF-8''%ff.mp3; filename=plain.mp3", "plain.mp3"),
      ("attachment; filename*=UTF-8''%4; filename=plain.mp3", "plain.mp3"),
      ("attachment; filename*=KOI8-R''x; filename=plain.mp3", "plain.mp3"),
      ("attachment; filename*=broken; filename=plain.mp3", "plain.mp3"),
      ("attachment; filename=first; filename=second", "first"),
    ])
  func readsNames(header: String, expected: String) {
    #expect(ContentDisposition.filename(in: header) == expected)
  }

  @Test(
    "is harmless for any header",
    arguments: [
      ("", nil), ("attachment", nil), (";;;===;", nil), ("attachment; filename=", nil),
      ("attachment; filename=\"\"", nil), ("attachment; filename=..", nil), ("attachment; filename=\"a/..\"", nil),
      ("attachment; filename=\"../../etc/passwd\"", "passwd"), ("attachment; filename=\"C:\\\\x\\\\y.mp3\"", "y.mp3"),
      ("attachment; filename*=UTF-8''..%2f..%2fx.mp3", "x.mp3"),
      ("attachment; filename=\"never closed", "never closed"), ("attachment; filename=\"\\", nil),
    ] as [(String, String?)])
  func survivesHostileHeaders(header: String, expected: String?) {
    #expect(ContentDisposition.filename(in: header) == expected)
  }

  @Test("is ignored in an oversized header")
  func boundsLength() {
    let name = String(repeating: "a", count: ContentDisposition.maximumBytes)
    #expect(ContentDisposition.filename(in: "attachment; filename=" + name) == nil)
  }
}
