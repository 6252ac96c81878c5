import Foundation
import ScriptedOrigin

/// Feeds on nginx, on a free loopback port, that a child of this process serves. It answers conditional requests.
final class FeedServer {
  /// Where nginx is; nil if it is not installed.
  static var path: String? {
    let path = "/usr/sbin/nginx"
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  private let port: UInt16
  private let child: pid_t
  private let files: String

  /// Makes as many feeds, each with as many episodes, and serves them.
  init(in folder: String, feeds: Int, episodes: Int) throws {
    guard let path = Self.path else { throw MeasurementFailure("nginx is missing: apt-get install nginx-light") }
    files = folder + "/feeds"
    port = try LoopbackPort.free()
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
    // Its workers read the files as the user who has made them.
    let user = getuid() == 0 ? "user root;" : ""
    let configuration = """
      daemon off; \(user) worker_processes 1; pid \(folder)/nginx.pid; error_log stderr error;
      events { worker_connections 256; }
      http {
        access_log off; keepalive_requests 100000; etag on; types { } default_type application/rss+xml;
        client_body_temp_path \(folder); proxy_temp_path \(folder); fastcgi_temp_path \(folder);
        uwsgi_temp_path \(folder); scgi_temp_path \(folder);
        server { listen 127.0.0.1:\(port); root \(files); }
      }
      """
    try configuration.write(toFile: folder + "/nginx.conf", atomically: false, encoding: .utf8)
    child = try ChildCommand.spawn([path, "-c", folder + "/nginx.conf", "-p", folder]) { _ in }
    for number in 0..<feeds { try add(number, episodes: episodes) }
    try waitUntilItListens()
  }

  deinit {
    kill(child, SIGTERM)
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
  }

  func url(_ feed: Int) -> String { "http://127.0.0.1:\(port)/\(feed).xml" }

  /// A list of the first feeds, as OPML.
  func list(of feeds: Int) -> String {
    let outlines = (0..<feeds).map { #"<outline type="rss" text="Show \#($0)" xmlUrl="\#(url($0))"/>"# }
    return #"<opml version="2.0"><body>\#(outlines.joined())</body></opml>"#
  }

  /// Makes a feed with so many episodes, the newest first, each with a description of so many bytes.
  func add(_ number: Int, episodes: Int, descriptionBytes: Int = 300) throws {
    let words = String(repeating: "What this one is about. ", count: descriptionBytes / 24 + 1).prefix(descriptionBytes)
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
      <title>Show \(number)</title><link>https://shows.example/\(number)</link><language>en</language>
      <description>A show.</description>

      """
    for episode in (0..<episodes).reversed() {
      // From 2001 on, one a day and a feed's own minute.
      let moment = Date(timeIntervalSince1970: Double(978_307_200 + episode % 9000 * 86_400 + number % 1440 * 60))
      text += """
        <item><title>Episode \(episode) of show \(number)</title><guid isPermaLink="false">show-\(number)-\(episode)</guid>
        <pubDate>\(Self.dates.string(from: moment))</pubDate><link>https://shows.example/\(number)/\(episode)</link>
        <itunes:duration>\(1000 + episode % 5000)</itunes:duration><description>\(words)</description>
        <enclosure url="https://media.example/\(number)/\(episode).mp3" length="\(20_000_000 + episode)" type="audio/mpeg"/>
        </item>

        """
    }
    text += "</channel></rss>\n"
    try text.write(toFile: "\(files)/\(number).xml", atomically: false, encoding: .utf8)
  }

  /// The length of a feed's document, in bytes.
  func length(of feed: Int) throws -> Int64 {
    var status = stat()
    guard stat("\(files)/\(feed).xml", &status) == 0 else { throw MeasurementFailure("feed \(feed) is not there") }
    return Int64(status.st_size)
  }

  private static let dates: DateFormatter = {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
    return formatter
  }()

  private func waitUntilItListens() throws {
    let stopwatch = Stopwatch()
    while stopwatch.seconds < 10 {
      if LoopbackPort.answers(port) { return }
      usleep(5_000)
    }
    throw MeasurementFailure("nginx does not listen")
  }
}
