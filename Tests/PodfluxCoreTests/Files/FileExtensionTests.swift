import PodfluxCore
import Testing

@Suite("The extension of a download")
struct FileExtensionTests {
  @Test(
    "comes from the media type, then the suggested name, then the URL",
    arguments: [
      ("audio/mpeg", "x.ogg", "https://h/e.wav", "mp3"),
      (" Audio/X-M4A ; codecs=\"mp4a\"", nil, "https://h/e.mp3", "m4a"),
      ("video/quicktime", nil, "https://h/", "mov"),
      ("application/octet-stream", "Talk.OPUS", "https://h/e.mp3", "opus"),
      (nil, "no extension", "https://h/e.MP3?sig=a.exe#x.y", "mp3"),
      (nil, nil, "https://h/a.b/e", "bin"), (nil, nil, "https://example.com", "bin"),
      (nil, nil, "https://h/file%2Em4a", "m4a"), (nil, "version 1.2", "https://h/", "bin"),
      (nil, "x.toolong", "https://h/", "bin"), (nil, "x.m\u{301}p3", "https://h/", "bin"), (nil, ".mp3", "", "bin"),
    ] as [(String?, String?, String, String)])
  func choosesExtension(mediaType: String?, suggestedName: String?, url: String, expected: String) {
    #expect(FileExtension.forDownload(mediaType: mediaType, suggestedName: suggestedName, url: url) == expected)
  }

  @Test(
    "The last component of a URL's path is its name",
    arguments: [
      ("https://h/a/b%20c.mp3?x=/y", "b c.mp3"), ("https://h/a/b/", "b"), ("https://h", nil), ("https://h/", nil),
      ("https://h/..%2F..%2Fetc", "etc"), ("https://h/%2E%2E", nil), ("https://h/%zz", "%zz"),
      ("https://h/%ff", "%ff"), ("https://h/%4", "%4"), ("https://h/a%5Cb", "b"), ("", nil),
    ] as [(String, String?)])
  func namesURLs(url: String, expected: String?) {
    #expect(RemoteName.lastPathComponent(ofURL: url) == expected)
  }
}
