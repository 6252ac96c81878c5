import PodfluxCore
import Testing

@testable import Feeds

@Suite("The comparable form of an enclosure's URL")
struct EnclosureKeyTests {
  private func key(_ text: String) throws -> EnclosureKey { EnclosureKey(try WebAddress(text)) }

  @Test(
    "Another spelling of a file's URL is the same file",
    arguments: [
      ("http://a.example/1.mp3", "https://a.example/1.mp3"),
      ("HTTPS://A.Example/1.mp3", "https://a.example/1.mp3"),
      ("https://a.example:443/1.mp3", "https://a.example/1.mp3"),
      ("http://a.example:80/1.mp3", "https://a.example/1.mp3"),
      ("https://a.example/1.mp3?utm_source=rss", "https://a.example/1.mp3"),
      ("https://a.example/p?utm_medium=x&id=7&utm_campaign=y#t", "https://a.example/p?id=7#t"),
      ("https://traffic.libsyn.com/s/1.mp3?dest-id=99", "https://traffic.libsyn.com/s/1.mp3"),
      ("https://traffic.megaphone.fm/A1.mp3?updated=1727834300", "https://traffic.megaphone.fm/A1.mp3"),
      ("https://audioboom.com/posts/1.mp3?modified=1&sid=2&source=rss", "https://audioboom.com/posts/1.mp3"),
      (
        "https://x.simplecastaudio.com/c/episodes/e/default.mp3?aid=rss_feed&awEpisodeId=e&feed=f",
        "https://x.simplecastaudio.com/c/episodes/e/default.mp3"
      ),
    ])
  func sameFile(one: String, other: String) throws {
    #expect(try key(one) == key(other))
  }

  @Test(
    "Any other difference makes another file",
    arguments: [
      ("https://a.example/play.php?id=7", "https://a.example/play.php?id=8"),
      ("https://a.example/1.mp3", "https://a.example/1.MP3"),
      ("https://a.example/1.mp3", "https://b.example/1.mp3"),
      ("https://a.example:8080/1.mp3", "https://a.example/1.mp3"),
      ("https://a.example:80/1.mp3", "https://a.example/1.mp3"),
      ("https://a.example/1.mp3?updated=1", "https://a.example/1.mp3?updated=2"),
      ("https://notlibsyn.com/1.mp3?dest-id=1", "https://notlibsyn.com/1.mp3"),
      ("https://a.example/1.mp3?source=a", "https://a.example/1.mp3"),
      ("https://a.example/1.mp3?b=1&a=2", "https://a.example/1.mp3?a=2&b=1"),
      ("https://User@a.example/1.mp3", "https://user@a.example/1.mp3"),
      ("https://a.example/caf%C3%A9", "https://a.example/cafe%CC%81"),
    ])
  func otherFile(one: String, other: String) throws {
    #expect(try key(one) != key(other))
  }

  /// Each known prefix, with something in the place of each `*`.
  private static let prefixes: [String] = TrackingPrefix.known.split(separator: "\n").map {
    String($0).replacing("*", with: "Ab12")
  }

  @Test("Each known prefix is removed, with and without a scheme behind it", arguments: prefixes)
  func prefix(_ prefix: String) throws {
    let file = try key("https://files.example/show/1.mp3?id=7")
    for scheme in ["", "http://", "https://", "https:/", "HTTPS://"] {
      #expect(try key("https://\(prefix)/\(scheme)files.example/show/1.mp3?id=7") == file)
      #expect(try key("http://\(prefix.uppercasedHost)/\(scheme)Files.example/show/1.mp3?id=7") == file)
    }
  }

  @Test("The table has the prefixes of the services that publishers use")
  func table() {
    #expect(Self.prefixes.count >= 40)
    #expect(Set(Self.prefixes).count == Self.prefixes.count)
  }

  @Test("Stacked prefixes are removed, and parameters of the file's own host")
  func stacked() throws {
    let stacked = """
      https://dts.podtrac.com/redirect.mp3/pdst.fm/e/chrt.fm/track/E2G895/pscrb.fm/rss/p/https://mgln.ai/e/12/\
      arttrk.com/p/PDPN1/claritaspod.com/measure/traffic.megaphone.fm/A1.mp3?updated=1
      """
    #expect(try key(stacked) == key("https://traffic.megaphone.fm/A1.mp3"))
  }

  @Test("As many prefixes as the limit allows are removed")
  func limit() throws {
    let file = try key("https://files.example/1.mp3")
    let most = String(repeating: "pdst.fm/e/", count: EnclosureKey.maximumPrefixes)
    #expect(try key("https://\(most)files.example/1.mp3") == file)
    #expect(try key("https://pdst.fm/e/\(most)files.example/1.mp3") != file)
  }

  @Test(
    "What only looks like a prefix stays",
    arguments: [
      "https://media.blubrry.com/show/1.mp3", "https://media.blubrry.com/show/season.one/",
      "https://media.blubrry.com/show/season1/1.mp3", "https://pdst.fm/x/files.example/1.mp3",
      "https://op3.dev/events/files.example/1.mp3", "https://chtbl.com/track/files.example/1.mp3",
      "https://files.example/pdst.fm/e/other.example/1.mp3", "https://xpdst.fm/e/files.example/1.mp3",
      "https://pdst.fm/e/", "https://pdst.fm/e", "https://pdst.fm",
    ])
  func lookalikes(text: String) throws {
    #expect(try key(text) != key("https://files.example/1.mp3"))
    #expect(try key(text) == key(text.replacing("https:", with: "http:")))
    // Not even the end of it: the folder is a host for nothing.
    let end = text.split(separator: "/").suffix(2).joined(separator: "/")
    if let address = try? WebAddress("https://" + end), text.split(separator: "/").count > 3 {
      #expect(try key(text) != EnclosureKey(address))
    }
  }

  @Test("A URL that is signed anew differs in its query only")
  func query() throws {
    func differOnlyInQuery(_ other: String) throws -> Bool {
      EnclosureKey.differOnlyInQuery(try key("https://a.example/1.mp3?token=1").text, try key(other).text)
    }
    #expect(try differOnlyInQuery("http://pdst.fm/e/a.example/1.mp3?token=2"))
    #expect(try differOnlyInQuery("http://a.example/1.mp3"))
    #expect(try !differOnlyInQuery("https://a.example/2.mp3?token=1"))
  }
}

extension String {
  /// With the part before the first slash in upper case.
  fileprivate var uppercasedHost: String {
    let host = prefix { $0 != "/" }
    return host.uppercased() + self[host.endIndex...]
  }
}
