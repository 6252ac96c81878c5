import Flux
import Testing

@testable import PodfluxCore

@Suite("The origin of a client's headers")
struct OriginTests {
  @Test(
    "Addresses have one origin if scheme, host and port are the same",
    arguments: [
      ("http://a.example/1", "http://A.example:80/2", true), ("https://a.example/1", "https://a.example:443/2", true),
      ("https://me:pw@a.example/1", "https://a.example/2", true), ("http://[::1]/1", "http://[::1]:80/2", true),
      ("http://[::1]:8080/1", "http://[::1]:8080/2", true), ("HTTP://a.example/1", "http://a.example:/2", true),
      ("http://a.example:0080/1", "http://a.example/2", true),
      ("http://a.example/1", "https://a.example/1", false), ("https://a.example:80/1", "http://a.example/1", false),
      ("http://a.example/1", "http://a.example:8080/1", false), ("http://a.example/1", "http://b.example/1", false),
      ("http://a.example/1", "http://a.example.evil/1", false), ("http://[::1]/1", "http://[::2]/1", false),
      ("http://a.example@b.example/1", "http://a.example/1", false), ("http://[::1:80]/", "http://[::1]/", false),
    ])
  func origins(one: String, other: String, areTheSame: Bool) throws {
    let (one, other) = (try WebAddress(one), try WebAddress(other))
    #expect(one.hasOrigin(of: other) == areTheSame)
    #expect(other.hasOrigin(of: one) == areTheSame)
  }

  @Test("An attempt sends them to the origin of the download's own address only")
  func attempts() throws {
    let own = try WebAddress("https://a.example/1")
    let headers = [Header(name: "Authorization", value: "Bearer x")]
    func sent(to address: String) throws -> [Header] {
      Attempt(
        id: AttemptID(download: try .named("a"), generation: 1), address: try WebAddress(address), ownAddress: own,
        description: .init(headers: headers), origin: .user, resume: nil, settings: Settings()
      ).headers
    }
    #expect(try sent(to: "https://a.example/2") == headers)
    #expect(try sent(to: "https://b.example/1").isEmpty)
    #expect(try sent(to: "http://a.example/1").isEmpty)
  }

  @Test("Another address keeps them within their origin only")
  func anotherAddress() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let headers = [Header(name: "Authorization", value: "Bearer x")]
    func headersAfter(_ address: WebAddress?, _ new: [Header]? = nil) throws -> [Header] {
      var update = DownloadIntent.Update()
      (update.address, update.headers) = (address, new)
      try world.send(.downloads(.update(id, update)))
      return try world.row(id).description.headers
    }
    let own = try world.row(id).address
    #expect(try headersAfter(nil, headers) == headers)
    #expect(try headersAfter(WebAddress("\(own)?fresh=1")) == headers)
    #expect(try headersAfter(.on("b.example")).isEmpty)
    #expect(try headersAfter(own).isEmpty)
    #expect(try headersAfter(.on("b.example"), headers) == headers)
  }
}
