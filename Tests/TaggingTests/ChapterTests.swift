import PodfluxCore
import Testing

@testable import Tagging

@Suite("Chapters from outside")
struct ChapterTests {
  private static func chapters(_ entries: String) -> [Chapter] {
    Chapter.chapters(in: Array("{\"version\":\"1.2.0\",\"chapters\":[\(entries)]}".utf8))
  }

  private static func texts(_ entries: String) -> [String] {
    chapters(entries).map { "\($0.start)-\($0.end.map(String.init) ?? "") \($0.title)" }
  }

  @Test(
    "are read as the namespace says, in the order of their beginnings, each up to the next one",
    arguments: [
      (#"{"startTime":0,"title":"A"},{"startTime":10.5,"title":"B"}"#, ["0-10500 A", "10500- B"]),
      (#"{"startTime":10,"title":"B"},{"startTime":0,"title":"A"}"#, ["0-10000 A", "10000- B"]),
      // An end of its own counts if it is one, and not beyond the next beginning.
      (
        #"{"startTime":0,"endTime":4,"title":"A"},{"startTime":10,"endTime":12,"title":"B"}"#,
        ["0-4000 A", "10000-12000 B"]
      ),
      (
        #"{"startTime":0,"endTime":99,"title":"A"},{"startTime":10,"endTime":3,"title":"B"}"#,
        ["0-10000 A", "10000- B"]
      ),
      // For pictures only, or of no beginning, no title, or the same beginning.
      (#"{"startTime":0,"title":"A"},{"startTime":5,"title":"P","toc":false},{"startTime":6,"img":"x"}"#, ["0- A"]),
      (#"{"title":"A"},{"startTime":"7","title":"B"},{"startTime":-1,"title":"C"},{"startTime":1,"title":" \n "}"#, []),
      (#"{"startTime":3,"title":"A"},{"startTime":3.0001,"title":"B"}"#, ["3000- A"]),
      // Anything else stands between them.
      (#"null,7,"x",[1],{"startTime":1,"title":"A","url":5},{"startTime":1e999,"title":"B"}"#, ["1000- A"]),
      (#"{"startTime":359999.999,"title":"A"},{"startTime":360000,"title":"B"}"#, ["359999999- A"]),
      (#"{"startTime":1,"title":"a\u0000b\nc"}"#, ["1000- a b c"]),
    ])
  func entries(entries: String, expected: [String]) {
    #expect(Self.texts(entries) == expected)
  }

  @Test(
    "of what is no such document are none",
    arguments: ["", "{}", "[]", "{\"chapters\":7}", "{\"chapters\":{}}", "{\"chapters\":[", "<html>", "\u{0}"])
  func others(text: String) {
    #expect(Chapter.chapters(in: Array(text.utf8)).isEmpty)
  }

  @Test("are no more than a table of contents can count, and none of the first is longer for that")
  func many() throws {
    let entries = (0..<2000).map { "{\"startTime\":\($0),\"title\":\"\($0)\"}" }.joined(separator: ",")
    let chapters = Self.chapters(entries)
    #expect(chapters.count == Chapter.limit)
    #expect(chapters.last == Chapter(start: 254_000, end: 255_000, title: "254"))
  }

  @Test("have titles that are not too long, in whole characters")
  func longTitles() throws {
    let chapter = try #require(
      Self.chapters("{\"startTime\":0,\"title\":\"\(String(repeating: "é", count: 300))\"}").first)
    #expect(chapter.title == String(repeating: "é", count: Chapter.titleBytes / 2))
    // A character of a letter and very many accents is not one that can be written.
    let zalgo = "a" + String(repeating: "\u{301}", count: 40_000)
    #expect(
      Self.chapters("{\"startTime\":0,\"title\":\"\(zalgo)\"}").allSatisfy { $0.title.utf8.count <= Chapter.titleBytes }
    )
  }

  @Test("are not looked for in a document that is too long, or too deep")
  func hostile() {
    let long =
      Array("{\"chapters\":[{\"startTime\":0,\"title\":\"A\"}],\"x\":\"".utf8)
      + [UInt8](repeating: 0x61, count: TagMaterial.chaptersBytes) + Array("\"}".utf8)
    #expect(Chapter.chapters(in: long).isEmpty)
    let deep = "{\"chapters\":" + String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000) + "}"
    #expect(Chapter.chapters(in: Array(deep.utf8)).isEmpty)
    var material = TagMaterial()
    material.take(Array(deep.utf8), as: .chapters)
    #expect(material.parts.isEmpty)
  }
}
