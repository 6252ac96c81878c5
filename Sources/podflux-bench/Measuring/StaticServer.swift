import Foundation
import ScriptedOrigin

/// nginx on a free loopback port, a child of this process, that serves a folder. It answers conditional requests.
final class StaticServer {
  /// Where nginx is; nil if it is not installed.
  static var path: String? {
    let path = "/usr/sbin/nginx"
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  let port: UInt16
  private let child: pid_t

  /// - Parameters:
  ///   - root: What it serves.
  ///   - folder: For its own files.
  ///   - log: Where it writes a line for each request, in the form of `RequestLog`; nil for nowhere.
  ///   - bytesPerSecond: How fast each response is at most; nil without a limit.
  init(_ root: String, in folder: String, log: String? = nil, bytesPerSecond: Int? = nil) throws {
    guard let path = Self.path else { throw MeasurementFailure("nginx is missing: apt-get install nginx-light") }
    port = try LoopbackPort.free()
    for place in [folder, root] {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
    }
    // Its workers read the files as the user who has made them.
    let user = getuid() == 0 ? "user root;" : ""
    let rate = bytesPerSecond.map { "limit_rate \($0);" } ?? ""
    let configuration = """
      daemon off; \(user) worker_processes 1; pid \(folder)/nginx.pid; error_log stderr error;
      events { worker_connections 256; }
      http {
        log_format requests '$status $body_bytes_sent $uri';
        access_log \(log.map { "\($0) requests" } ?? "off"); \(rate)
        keepalive_requests 100000; etag on; types { } default_type application/rss+xml;
        client_body_temp_path \(folder); proxy_temp_path \(folder); fastcgi_temp_path \(folder);
        uwsgi_temp_path \(folder); scgi_temp_path \(folder);
        server { listen 127.0.0.1:\(port); root \(root); location ~ \\.mp3$ { default_type audio/mpeg; } }
      }
      """
    try configuration.write(toFile: folder + "/nginx.conf", atomically: false, encoding: .utf8)
    child = try ChildCommand.spawn([path, "-c", folder + "/nginx.conf", "-p", folder]) { _ in }
    try waitUntilItListens()
  }

  deinit {
    kill(child, SIGTERM)
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  private func waitUntilItListens() throws {
    let stopwatch = Stopwatch()
    while stopwatch.seconds < 10 {
      if LoopbackPort.answers(port) { return }
      usleep(5_000)
    }
    throw MeasurementFailure("nginx does not listen")
  }
}
