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
    "comes from the file's format, refined by type and names",
    arguments: [
      (.mp3, "audio/ogg", "x.ogg", "https://h/e.wav", "mp3"),
      (.mp3, "application/octet-stream", nil, "https://h/e.php", "mp3"),
      (.mp3, nil, nil, "https://h/e.m2a", "m2a"), (.taggedAudio, "audio/mpeg", nil, "https://h/e", "mp3"),
      (.taggedAudio, "audio/flac", nil, "https://h/e", "flac"), (.taggedAudio, nil, "e.aac", "https://h/e.mp3", "aac"),
      (.mp4, "video/mp4", nil, "https://h/e", "mp4"), (.mp4, nil, nil, "https://h/e.mp3", "mp4"),
      (.mp4, "Audio/MPEG; x=y", nil, "https://h/e.mp3", "m4a"), (.mp4, "audio/mp4", nil, "https://h/e.m4b", "m4b"),
      (.mp4, "audio/x-m4b", nil, "https://h/e.m4a", "m4b"), (.mp4, "video/mp4", "e.M4V", "https://h/e", "m4v"),
      (.m4a, "video/mp4", nil, "https://h/e.mp4", "m4a"), (.m4a, nil, nil, "https://h/e.m4b", "m4b"),
      (.m4b, "audio/mp4", nil, "https://h/e.m4a", "m4b"), (.matroska, nil, nil, "https://h/e", "mkv"),
      (.matroska, "audio/x-matroska", nil, "https://h/e", "mka"), (.matroska, nil, nil, "https://h/e.mka", "mka"),
      (.ogg, "audio/opus", nil, "https://h/e.oga", "oga"), (.ogg, "audio/opus", nil, "https://h/e.opus", "ogg"),
      (.opus, "audio/ogg", nil, "https://h/e.ogg", "opus"), (.asf, "audio/x-ms-wma", nil, "https://h/e", "wma"),
      (.asf, "video/x-ms-wmv", nil, "https://h/e", "wmv"), (.asf, nil, nil, "https://h/e", "asf"),
      (.text, nil, nil, "https://h/e.vtt", "vtt"), (.text, nil, nil, "https://h/e.exe", "txt"),
      (.zip, nil, nil, "https://h/e.epub", "epub"), (.xml, "audio/mpeg", nil, "https://h/e.opml", "opml"),
    ] as [(MediaSignature, String?, String?, String, String)])
  func signature(
    signature: MediaSignature, mediaType: String?, suggestedName: String?, url: String, expected: String
  ) {
    let found = FileExtension.forDownload(
      mediaType: mediaType, suggestedName: suggestedName, url: url, signature: signature)
    #expect(found == expected)
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
