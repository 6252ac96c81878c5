import Flux
import Persistence
import Testing

@testable import PodfluxCore

/// Sessions whose secret is in the addresses of their requests.
extension SessionsStoreTests {
  @Test("A login whose secret is in the address takes the parameter out of the row, and leaves it nowhere")
  func leavesAddress() throws {
    let url = "https://a.example/x?n=1&auth=s3cret"
    let (feed, id) = (try #require(FeedID("f")), try DownloadID.named("d"))
    try world.send(.podcasts(.subscribe(.init(id: feed, address: try WebAddress(url)))))
    try world.send(.downloads(.enqueue(.init(id: id, address: try WebAddress(url)))))
    var (download, podcast) = (DownloadIntent.Update(), PodcastIntent.Update())
    download.session = .new(try login(.parameter, hosts: []))
    podcast.session = .new(try login(.parameter, hosts: [], secret: Self.other))
    try world.send(.downloads(.update(id, download)))
    try world.send(.podcasts(.update(feed, podcast)))
    #expect(try world.row(id).address.description == "https://a.example/x?n=1")
    let row = try #require(try world.database.read { try $0.feeds(.init(ids: [feed]), refreshing: []).items.first })
      .feed
    #expect(row.address.description == "https://a.example/x?n=1" && row.refreshes.formerAddresses.isEmpty)
    #expect(sessions.map(\.wish.hosts) == [["a.example"], ["a.example"]])
    // The same in one step, with the address.
    podcast.address = try WebAddress("https://a.example/y")
    try world.send(.podcasts(.update(feed, podcast)))
    let moved = try #require(try world.database.read { try $0.feeds(.init(ids: [feed]), refreshing: []).items.first })
      .feed
    #expect(moved.refreshes.formerAddresses.map(\.description) == ["https://a.example/x?n=1"])
  }

  @Test("A request whose address has a parameter of the session's name goes without the session")
  func ownParameter() throws {
    try begin(.parameter)
    let (own, other) = (try DownloadID.named("own"), try DownloadID.named("other"))
    for (id, query) in [(own, "?auth=x"), (other, "?n=1")] {
      var wish = DownloadIntent.Enqueue(id: id, address: try WebAddress("https://a.example/\(id)\(query)"))
      wish.feedSession = 1
      try world.send(.downloads(.enqueue(wish)))
    }
    #expect(world.attempts[own] != nil && world.attempts[own]?.session == nil)
    #expect(world.attempts[other]?.session?.token == 1)
    // What it is refused says nothing of the session.
    try refuse(own, 403)
    #expect(try session().state == .open)
  }

  @Test("A client's address that has the parameter of its session is refused: the secret would stand in the row")
  func parameterInAddress() throws {
    try begin(.parameter)
    let choice = SessionID("s").map { SessionChoice.known($0) }
    let address = try WebAddress("https://a.example/x?auth=s3cret")
    func isRefused(_ intent: Action) -> Bool {
      do {
        try world.send(intent)
        return false
      } catch let refusal as Refusal {
        return refusal.path == "payload.url" && !refusal.message.contains("s3cret")
      } catch {
        return false
      }
    }
    #expect(isRefused(.downloads(.enqueue(.init(address: address, session: choice)))))
    #expect(isRefused(.podcasts(.subscribe(.init(address: address, session: choice)))))
    let id = try enqueue("a")
    try subscribe()
    var (download, podcast) = (DownloadIntent.Update(), PodcastIntent.Update())
    (download.address, podcast.address) = (address, address)
    #expect(isRefused(.downloads(.update(id, download))))
    #expect(isRefused(.podcasts(.update(try #require(FeedID("f")), podcast))))
    // One that is there already: the session would have no effect.
    let plain = try DownloadID.named("plain")
    try world.send(.downloads(.enqueue(.init(id: plain, address: try WebAddress("https://a.example/y?auth=s3cret")))))
    var choosing = DownloadIntent.Update()
    choosing.session = choice
    #expect(isRefused(.downloads(.update(plain, choosing))))
    choosing = DownloadIntent.Update()
    choosing.mirrors = [try WebAddress("https://a.example/m?auth=s3cret")]
    #expect(isRefused(.downloads(.update(id, choosing))))
    // Elsewhere it is no secret of the session.
    download.address = try WebAddress("https://b.example/x?auth=1")
    try world.send(.downloads(.update(id, download)))
  }
}
