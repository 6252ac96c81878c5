import PodfluxClient
import PodfluxPeople
import Testing

@Suite("Selectors")
struct LibraryFinderTests {
  private let library = FakeLibrary(
    downloads: [
      #"{"id":"d-1","title":"Über Öl","podcast":"Funkhaus","url":"https://e.org/1.mp3"}"#,
      #"{"id":"pilot","title":"Clause 7","url":"https://e.org/2.mp3"}"#,
      #"{"id":"d-3","title":"Clause 70","url":"https://e.org/3.mp3"}"#,
      #"{"id":"d-4","title":null,"url":"https://e.org/path/talk.mp3?x=1"}"#,
    ],
    episodes: [
      #"{"id":"e7","title":"Über Öl","download":"d-1","feed":"f-1","enclosure":{"url":"https://e.org/1.mp3"}}"#,
      #"{"id":"e9","title":"Pilot","feed":"f-2","enclosure":{"url":"https://e.org/9.mp3"}}"#,
    ],
    feeds: [
      #"{"id":"f-1","title":"Funkhaus Süd","url":"https://e.org/sued"}"#,
      #"{"id":"f-2","title":"Old Show","url":"https://e.org/old","movedFrom":"https://e.org/older"}"#,
    ])

  @Test(
    "An id, a URL and a unique part of a title name one thing, in any case and with any diacritics",
    arguments: [
      ("d-1", "d-1"), ("e9", "e9"), ("f-2", "f-2"), ("UBER OL", "d-1"), ("funkhaus", "f-1"), ("sud", "f-1"),
      ("https://e.org/3.mp3", "d-3"), ("https://e.org/9.mp3", "e9"), ("https://e.org/older", "f-2"),
      ("clause 70", "d-3"), ("talk", "d-4"),
    ])
  func found(selector: String, id: String) throws {
    #expect(try LibraryFinder(library).find(selector, among: .all).id == id)
  }

  @Test("An id is believed before a title, and a whole title before a part of one")
  func precedence() throws {
    #expect(try LibraryFinder(library).find("pilot", among: .all).id == "pilot")
    #expect(try LibraryFinder(library).find("Pilot", among: .all).id == "e9")
    #expect(try LibraryFinder(library).find("clause 7", among: .all).id == "pilot")
  }

  @Test("An ambiguous selector lists its candidates, and how many more there are")
  func ambiguous() throws {
    #expect {
      try LibraryFinder(library).find("clause", among: .all)
    } throws: { error in
      guard let failure = error as? SelectionFailure else { return false }
      return failure.lines == [
        "\"clause\" is in several titles, and nothing was done; give more of it, or an id:",
        "  download  pilot  Clause 7  https://e.org/2.mp3", "  download  d-3  Clause 70  https://e.org/3.mp3",
      ]
    }
    var many = FakeLibrary()
    many.downloads = (1...40).map { #"{"id":"d-\#($0)","title":"Part \#($0) of it"}"# }
    #expect {
      try LibraryFinder(many).find("of it", among: .downloads)
    } throws: { error in
      (error as? SelectionFailure)?.lines.last == "  … and 30 more"
    }
  }

  @Test("Candidates of one title are told apart by podcast and address")
  func candidates() throws {
    var twins = FakeLibrary()
    twins.feeds = [
      #"{"id":"f-1","title":"News","url":"https://e.org/a"}"#, #"{"id":"f-2","title":"News","url":"https://e.org/b"}"#,
    ]
    twins.episodes = [
      #"{"id":"e1","title":"Pilot","feed":"f-1","enclosure":{"url":"https://e.org/1.mp3"}}"#,
      #"{"id":"e2","title":"Pilot","feed":"f-2"}"#,
    ]
    twins.downloads = [#"{"id":"d-1","title":"Pilot","podcast":"Old Show","url":"https://e.org/9.mp3"}"#]
    for (selector, lines) in [
      ("news", ["  feed  f-1  News  https://e.org/a", "  feed  f-2  News  https://e.org/b"]),
      (
        "pilot",
        [
          "  download  d-1  Pilot  Old Show  https://e.org/9.mp3", "  episode  e1  Pilot  News  https://e.org/1.mp3",
          "  episode  e2  Pilot  News",
        ]
      ),
    ] {
      #expect {
        try LibraryFinder(twins).find(selector, among: .all)
      } throws: { error in
        (error as? SelectionFailure).map { Array($0.lines.dropFirst()) } == lines
      }
    }
  }

  @Test("Of several things of one title the only one of the preferred kind is meant; of parts of titles none is")
  func preferred() throws {
    var library = FakeLibrary()
    library.episodes = [#"{"id":"e1","title":"Pilot"}"#, #"{"id":"e2","title":"Pilot","download":"d-1"}"#]
    library.downloads = [#"{"id":"d-1","title":"Pilot"}"#, #"{"id":"d-2","title":"Pilots"}"#]
    let finder = LibraryFinder(library)
    #expect(try finder.find("pilot", among: [.downloads, .episodes], preferring: .downloads).id == "d-1")
    #expect(throws: SelectionFailure.self) { try finder.find("pilot", among: [.downloads, .episodes]) }
    #expect(throws: SelectionFailure.self) {
      try finder.find("pil", among: [.downloads, .episodes], preferring: .downloads)
    }
  }

  @Test("A URL that several have is ambiguous; of downloads the only one that has not failed is meant")
  func ambiguousURL() throws {
    var twins = FakeLibrary()
    twins.downloads = ["a", "b"].map {
      #"{"id":"\#($0)","title":"Part \#($0)","url":"https://e.org/dl","state":"completed"}"#
    }
    twins.feeds = ["f-1", "f-2"].map { #"{"id":"\#($0)","title":"News","url":"https://e.org/feed"}"# }
    twins.episodes = ["e1", "e2"].map { #"{"id":"\#($0)","title":"Pilot","enclosure":{"url":"https://e.org/latest"}}"# }
    for (selector, count) in [("https://e.org/dl", 2), ("https://e.org/feed", 2), ("https://e.org/latest", 2)] {
      #expect {
        try LibraryFinder(twins).find(selector, among: .all)
      } throws: { error in
        guard let lines = (error as? SelectionFailure)?.lines else { return false }
        return lines[0] == "\"\(selector)\" is the URL of several, and nothing was done; give an id:"
          && lines.count == 1 + count
      }
    }
    twins.downloads[0] = twins.downloads[0].replacing("completed", with: "failed")
    #expect(try LibraryFinder(twins).find("https://e.org/dl", among: .all).id == "b")
    twins.downloads[1] = twins.downloads[1].replacing("completed", with: "failed")
    #expect(throws: SelectionFailure.self) { try LibraryFinder(twins).find("https://e.org/dl", among: .all) }
  }

  @Test("A URL with a part that is not shown names nothing for sure, also if one thing is shown as the rest of it")
  func hiddenParts() throws {
    var library = FakeLibrary()
    library.feeds = [#"{"id":"f-1","title":"Mine","url":"https://e.org/feed"}"#]
    library.downloads = [#"{"id":"a","title":"Part","url":"https://e.org/dl?f=a.mp3","state":"completed"}"#]
    for selector in ["https://e.org/feed?token=two", "https://me:pw@e.org/feed", "https://e.org/dl?user=bob&f=a.mp3"] {
      #expect {
        try LibraryFinder(library).find(selector, among: .all)
      } throws: { error in
        guard let lines = (error as? SelectionFailure)?.lines else { return false }
        return lines.count == 2 && lines[0].contains("this one names none for sure") && !lines[0].contains("two")
      }
    }
    #expect(try LibraryFinder(library).find("https://e.org/feed", among: .all).id == "f-1")
    #expect(try LibraryFinder(library).find("https://e.org/dl?f=a.mp3", among: .all).id == "a")
  }

  @Test("An empty text names nothing, and is answered with what would")
  func empty() {
    #expect {
      try LibraryFinder(library).find("", among: .feeds)
    } throws: { error in
      (error as? SelectionFailure)?.lines == [
        "no feed is named by an empty text; give an id, a URL, or a part of a title"
      ]
    }
  }

  @Test("What is not there is said to be no thing of the kinds that the command takes")
  func nothing() {
    for (kinds, noun) in [(SelectedKinds.feeds, "feed"), ([.downloads, .episodes], "download or episode")] {
      #expect {
        try LibraryFinder(library).find("nowhere", among: kinds)
      } throws: { error in
        (error as? SelectionFailure)?.lines == ["there is no \(noun) \"nowhere\""]
      }
    }
  }
}

@Suite("Lists in parts")
struct PartsTests {
  @Test("have at most so many texts and bytes, but one text at least")
  func bytes() {
    let texts = ["aaaa", "bb", "c", "dddddddd", "e", "f", "g"]
    #expect(texts.inParts(of: 3, bytes: 6) == [["aaaa", "bb"], ["c"], ["dddddddd"], ["e", "f", "g"]])
    #expect(texts.inParts(of: 2, bytes: 100) == [["aaaa", "bb"], ["c", "dddddddd"], ["e", "f"], ["g"]])
    #expect([String]().inParts(of: 2, bytes: 1).isEmpty)
  }
}
