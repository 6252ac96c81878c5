import PodfluxClient
import PodfluxCore
import Testing
import WireProtocol

@Suite("What an observing client knows")
struct ObservedListTests {
  private static func payload(_ json: String) throws -> JSONObject { try JSONObject(line: Array(json.utf8)) }

  @Test("The first line has all, later ones what has changed, in which order and what is gone")
  func changes() throws {
    var library = ObservedLibrary()
    try library.apply(
      Self.payload(
        #"{"store":"downloads","full":true,"items":[{"id":"a","state":"running"},{"id":"b","state":"queued"}],"counts":{"running":1,"queued":1}}"#
      ))
    #expect(library.downloads.order == ["a", "b"])
    #expect(library.counts.moving == 2)
    let gone = try library.apply(
      Self.payload(
        #"{"store":"downloads","upsert":[{"id":"c","state":"waiting","reason":"retry"}],"remove":["a"],"order":["c","b"],"counts":{"queued":1,"waiting":1}}"#
      ))
    #expect(gone.map(\.id) == ["a"])
    #expect(library.downloads.all.map(\.id) == ["c", "b"])
    #expect(library.downloads["c"]?.reason == .retry)
    #expect(library.counts[.running] == 0)
  }

  @Test(
    "An item of another kind than the protocol's is refused",
    arguments: [
      #"{"store":"downloads","full":true,"items":[{"state":"running"}]}"#,
      #"{"store":"downloads","full":true,"items":[{"id":7}]}"#,
      #"{"store":"downloads","full":true,"items":[7]}"#,
      #"{"store":"downloads","full":true,"items":[{"id":"a","addedAt":"yesterday"}]}"#,
      #"{"store":"downloads","upsert":[{"id":"a","bytes":{"received":"7"}}]}"#,
      #"{"store":"downloads","upsert":[],"remove":[1]}"#,
    ])
  func hostile(json: String) throws {
    var library = ObservedLibrary()
    let payload = try Self.payload(json)
    #expect(throws: MalformedLine.self) { try library.apply(payload) }
  }

  @Test("Names that a later engine may have are no fault")
  func laterEngine() throws {
    let item = try DownloadItem(
      Self.payload(#"{"id":"a","state":"dreaming","reason":"mood","error":{"code":"new"},"x":1}"#))
    #expect(item.state == nil && item.reason == nil && item.error?.code == "new")
    var library = ObservedLibrary()
    try library.apply(Self.payload(#"{"store":"weather","full":true}"#))
    #expect(library.told.isEmpty)
  }
}
