import ScriptedOrigin
import Testing
import TestScheduling

@Suite("A resource", .systemTest)
struct ResourceTests {
  private static let date = "Wed, 21 Oct 2015 07:28:00 GMT"
  private static let body = Body.stamped(length: 200_000, seed: 4)
  private static let episode = Resource(
    body, entityTag: .strong("v1"), lastModified: date,
    headers: ["Content-Disposition": "attachment; filename=\"1.mp3\""])

  private func get(_ resource: Resource, method: String = "GET", headers: [String: String] = [:]) throws -> Exchange {
    let origin = try ScriptedOrigin.start()
    defer { #expect(throws: Never.self) { try origin.stop() } }
    origin.serve("/1.mp3", resource)
    return try Exchange(origin, "/1.mp3", method: method, headers: headers)
  }

  @Test("is sent completely, with all its fields")
  func whole() throws {
    let answer = try get(Self.episode)
    #expect(answer.status == 200)
    #expect(answer.body == Self.body.allBytes)
    #expect(answer.headers["content-length"] == "200000")
    #expect(answer.headers["content-type"] == "audio/mpeg")
    #expect(answer.headers["etag"] == "\"v1\"")
    #expect(answer.headers["last-modified"] == Self.date)
    #expect(answer.headers["accept-ranges"] == "bytes")
    #expect(answer.headers["content-disposition"] == "attachment; filename=\"1.mp3\"")
  }

  @Test("answers HEAD with the same head and no content, for any range")
  func head() throws {
    let answer = try get(Self.episode, method: "HEAD", headers: ["Range": "bytes=5-"])
    #expect(answer.status == 200)
    #expect(answer.headers["content-length"] == "200000")
    #expect(answer.body.isEmpty)
  }

  @Test("is sent in part")
  func part() throws {
    let answer = try get(Self.episode, headers: ["range": "bytes=65530-131080"])
    #expect(answer.status == 206)
    #expect(answer.headers["content-range"] == "bytes 65530-131080/200000")
    #expect(answer.headers["content-length"] == "65551")
    #expect(answer.body == Self.body[65_530..<131_081].allBytes)
  }

  @Test("names its length if a range lies beyond it")
  func unsatisfiable() throws {
    let answer = try get(Self.episode, headers: ["Range": "bytes=200000-"])
    #expect(answer.status == 416)
    #expect(answer.headers["content-range"] == "bytes */200000")
  }

  @Test(
    "honours If-Range with its strong tag or its date, and sends the whole file otherwise",
    arguments: [
      ("\"v1\"", 206), (date, 206), ("\"v2\"", 200), ("W/\"v1\"", 200), ("Thu, 22 Oct 2015 07:28:00 GMT", 200),
    ])
  func ifRange(condition: String, status: Int) throws {
    let answer = try get(Self.episode, headers: ["Range": "bytes=100-", "If-Range": condition])
    #expect(answer.status == status)
    #expect(answer.body.count == (status == 206 ? 199_900 : 200_000))
  }

  @Test("with a weak tag never matches If-Range")
  func weakTag() throws {
    var resource = Self.episode
    resource.entityTag = .weak("v1")
    let answer = try get(resource, headers: ["Range": "bytes=100-", "If-Range": "W/\"v1\""])
    #expect(answer.status == 200)
    #expect(answer.headers["etag"] == "W/\"v1\"")
  }

  @Test("that ignores ranges sends the whole file and does not offer them")
  func ignoringRanges() throws {
    var resource = Self.episode
    resource.ranges = .ignored
    let answer = try get(resource, headers: ["Range": "bytes=100-"])
    #expect(answer.status == 200)
    #expect(answer.headers["accept-ranges"] == nil)
    #expect(answer.body.count == 200_000)
  }

  @Test("can send a part of another version than the requested one")
  func despiteIfRange() throws {
    var resource = Self.episode
    resource.ranges = .honouredDespiteIfRange
    let answer = try get(resource, headers: ["Range": "bytes=100-", "If-Range": "\"old\""])
    #expect(answer.status == 206)
  }

  @Test("can start at another offset than requested, and says so", arguments: [(-50, 50), (50, 150), (-500, 0)])
  func shifted(distance: Int, start: Int) throws {
    var resource = Self.episode
    resource.ranges = .shifted(byBytes: distance)
    let answer = try get(resource, headers: ["Range": "bytes=100-999"])
    #expect(answer.headers["content-range"] == "bytes \(start)-999/200000")
    #expect(answer.body == Self.body[start..<1000].allBytes)
  }

  @Test("can wrap its parts in multipart/byteranges")
  func multipart() throws {
    var resource = Resource(.text("0123456789"), mediaType: "text/plain")
    resource.ranges = .multipart
    let answer = try get(resource, headers: ["Range": "bytes=2-3,8-"])
    #expect(answer.status == 206)
    #expect(answer.headers["content-type"] == "multipart/byteranges; boundary=PODFLUX_BYTERANGES")
    #expect(answer.headers["content-range"] == nil)
    #expect(
      answer.text == """
        \r\n--PODFLUX_BYTERANGES\r\nContent-Type: text/plain\r\nContent-Range: bytes 2-3/10\r\n\r\n23\
        \r\n--PODFLUX_BYTERANGES\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89\
        \r\n--PODFLUX_BYTERANGES--\r\n
        """)
  }

  @Test("can refuse every range")
  func refusing() throws {
    var resource = Self.episode
    resource.ranges = .refused
    #expect(try get(resource, headers: ["Range": "bytes=0-"]).status == 416)
    #expect(try get(resource).status == 200)
  }

  @Test(
    "is not sent again to a client that has it",
    arguments: [("If-None-Match", "\"v0\", W/\"v1\""), ("If-None-Match", "*"), ("If-Modified-Since", date)])
  func notModified(name: String, value: String) throws {
    let answer = try get(Self.episode, headers: [name: value])
    #expect(answer.status == 304)
    #expect(answer.headers["etag"] == "\"v1\"")
    #expect(answer.headers["content-length"] == nil)
    #expect(answer.body.isEmpty)
  }
}
