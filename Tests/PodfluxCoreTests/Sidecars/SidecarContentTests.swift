import Testing

@testable import PodfluxCore

@Suite("What sidecars contain, and what they are called")
struct SidecarContentTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 32)
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 32)
  private static let page = Array("<!DOCTYPE html><html><body>{}</body></html>".utf8)

  private func text(_ text: String, as kind: SidecarKind) throws -> String {
    try SidecarContent.fileExtension(of: Array(text.utf8), as: kind)
  }

  @Test("The bytes decide on the extension")
  func extensions() throws {
    #expect(try SidecarContent.fileExtension(of: Self.png, as: .cover) == "png")
    #expect(try SidecarContent.fileExtension(of: Self.jpeg, as: .cover) == "jpg")
    #expect(try text(#"{"chapters":[]}"#, as: .chapters) == "json")
    #expect(try text("WEBVTT\n\n00:00.000 --> 00:01.000\nHello", as: .transcript) == "vtt")
    #expect(try text("1\r\n00:00:00,000 --> 00:00:01,000\r\nHello", as: .transcript) == "srt")
    #expect(try text(#"{"segments":[]}"#, as: .transcript) == "json")
    #expect(try text("Hello.", as: .transcript) == "txt")
    #expect(try text("<!DOCTYPE html>", as: .notes) == "html")
  }

  @Test("A page, an empty answer and another kind of file are refused, and what is too large")
  func refused() throws {
    for kind in SidecarKind.allCases where kind != .info && kind != .notes {
      #expect(throws: DownloadError.self, "\(kind)") { try SidecarContent.fileExtension(of: Self.page, as: kind) }
      #expect(throws: DownloadError.self, "\(kind)") { try SidecarContent.fileExtension(of: [], as: kind) }
    }
    #expect(throws: DownloadError.self) { try SidecarContent.fileExtension(of: Self.png, as: .transcript) }
    #expect(throws: DownloadError.self) { try text("Hello.", as: .cover) }
    #expect(throws: DownloadError.self) { try text("[1]", as: .chapters) }
    let long = Self.png + [UInt8](repeating: 0, count: SidecarLimits.pictureBytes)
    #expect(throws: SidecarContent.tooLarge(.cover)) { try SidecarContent.fileExtension(of: long, as: .cover) }
  }

  @Test(
    "Objects of JSON",
    arguments: [
      "{}", " {\"a\":[1,-2.5e+3,true,false,null,{\"b\":\"\\u00e9\\n\"},[]]}\n", "\u{FEFF}{\"a\":\"ä\"}",
      "{\"a\":0,\"b\":{}}",
    ])
  func valid(_ text: String) { #expect(JSONSyntax.isObject(Array(text.utf8))) }

  @Test(
    "No objects of JSON",
    arguments: [
      "", "[]", "{", "{}{}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":\"\n\"}",
      "{\"a\":\"\\x\"}", "{\"a\":[1}", "{\"a\":tru}", "{\"a\":1}x", "{\"a\":\"\\u12\"}", "{,}", "{\"a\":[,]}",
      "{\"a\":1e}",
      "{\"a\":" + String(repeating: "[", count: 100_000),
    ])
  func invalid(_ text: String) { #expect(!JSONSyntax.isObject(Array(text.utf8))) }

  @Test("Bytes that are no UTF-8 are no JSON, and what is written is")
  func written() {
    #expect(!JSONSyntax.isObject([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]))
    let text = JSONSyntax.string("a \"b\" \\ \n\t\r \u{1} \u{7F} ü \u{1F600}")
    #expect(JSONSyntax.isObject(Array("{\"a\":\(text)}".utf8)))
  }

  @Test("Sidecars are called after their episode's file")
  func stems() throws {
    let media = try LibraryPath(validating: "Show/2026 One. Two.mp3")
    #expect(Sidecar.stem(of: .chapters, beside: media) == "Show/2026 One. Two.chapters")
    #expect(Sidecar.stem(of: .info, beside: media) == "Show/2026 One. Two.info")
    #expect(Sidecar.stem(of: .notes, beside: media) == "Show/2026 One. Two")
    #expect(Sidecar.stem(of: .transcript, beside: media) == "Show/2026 One. Two")
    #expect(Sidecar.stem(of: .transcript, beside: media, language: "EN-us") == "Show/2026 One. Two.en")
    #expect(Sidecar.stem(of: .transcript, beside: media, language: "i-klingon") == "Show/2026 One. Two")
    #expect(Sidecar.stem(of: try LibraryPath(validating: "a.b/c.chapters.json")) == "a.b/c.chapters")
    #expect(Sidecar.stem(of: .info, beside: try LibraryPath(validating: "one.mp3")) == "one.info")
  }

  @Test("The folder of a podcast is that which its template names after it, where the file lies there")
  func folders() throws {
    func folder(_ path: String, _ template: String = "", podcast: String? = "My Show: News") throws -> String? {
      let naming = DownloadNaming(try NameTemplate(validating: template))
      return Sidecar.folder(of: try LibraryPath(validating: path), podcast: podcast, naming: naming)?.description
    }
    #expect(try folder("My Show- News/a.mp3") == "My Show- News")
    #expect(try folder("my show news/a.mp3") == "my show news")
    #expect(try folder("a.mp3") == nil)
    #expect(try folder("Other/a.mp3") == nil)
    #expect(try folder("My Show- News/a.mp3", podcast: nil) == nil)
    #expect(try folder("all/My Show News/a.mp3", "all/{podcast}/{title}") == "all/My Show News")
    #expect(try folder("My Show News/2026/a.mp3", "{podcast}/{date}/{title}") == "My Show News")
    #expect(try folder("My Show News a.mp3", "{podcast} {title}") == nil)
    #expect(try folder("all/a.mp3", "all/{title}") == nil)
  }

  @Test("Info has what the rows know, and no secret of an address")
  func info() throws {
    let file = try PublishedFile.sample()
    let download = Download(
      id: try .named("a"), address: try WebAddress("https://me:secret@a.example/b.mp3?token=secret#secret"),
      description: .init(podcast: "Show", title: "One \"two\""), rank: .init(priority: .normal, position: 0),
      origin: .user, state: .completed(file), progress: .init(), failures: 0,
      dates: .init(added: World.beginning, finished: World.beginning), isHeld: false)
    let text = SidecarInfo(of: download, file, episode: nil, feed: nil).text
    #expect(JSONSyntax.isObject(Array(text.utf8)))
    #expect(text.contains("\"title\": \"One \\\"two\\\"\""))
    #expect(text.contains("\"url\": \"https://a.example/b.mp3\""))
    #expect(!text.contains("secret"))
  }

  @Test("Kinds are a set: no unknown one, and none twice")
  func kinds() {
    #expect(SidecarKinds(names: ["info", "cover"])?.names == ["cover", "info"])
    #expect(SidecarKinds(names: ["info", "info"]) == nil)
    #expect(SidecarKinds(names: ["poster"]) == nil)
    #expect(SidecarKinds(names: [])?.isEmpty == true)
  }
}
