import CCurl
import Foundation

/// The least that the work of Podflux could cost: libcurl's multi interface in a loop of one thread, each file synced,
/// and its folder for each batch of files. No rows, no names, nothing that could resume.
///
/// It runs in a process of its own (`podflux-bench floor`), so that the kernel counts its CPU time.
enum Floor {
  /// How many files share one sync of their folder.
  private static let batch = 64

  /// Fetches URLs into a folder, each under the last part of its path.
  static func fetch(_ urls: [String], into folder: String, atOnce count: Int) throws -> ChildCommand.Usage {
    let list = folder + ".floor"
    defer { try? FileManager.default.removeItem(atPath: list) }
    try urls.joined(separator: "\n").write(toFile: list, atomically: false, encoding: .utf8)
    return try ChildCommand.run(["/proc/self/exe", "floor", list, folder, "\(count)"])
  }

  /// The work itself.
  static func work(_ urls: [String], into folder: String, atOnce count: Int) throws {
    guard ccurl_global_init() == CURLE_OK, let multi = curl_multi_init() else {
      throw MeasurementFailure("libcurl cannot be set up")
    }
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw MeasurementFailure("\(folder) cannot be opened: \(reason)") }
    defer { close(directory) }
    var (next, running, finished) = (0, 0, 0)
    while next < urls.count || running > 0 {
      while next < urls.count, running < count {
        try begin(urls[next], in: directory, multi)
        next += 1
        running += 1
      }
      var left: Int32 = 0
      curl_multi_perform(multi, &left)
      var queued: Int32 = 0
      while let message = curl_multi_info_read(multi, &queued)?.pointee {
        guard message.msg == CURLMSG_DONE, let easy = message.easy_handle else { continue }
        try end(easy, message.data.result, multi)
        running -= 1
        finished += 1
        if finished % batch == 0 { try synchronize(directory) }
      }
      if running == count || next == urls.count, running > 0 { curl_multi_poll(multi, nil, 0, 100, nil) }
    }
    try synchronize(directory)
    curl_multi_cleanup(multi)
  }

  private static func begin(_ url: String, in directory: Int32, _ multi: UnsafeMutableRawPointer) throws {
    let name = url.split(separator: "/").last.map(String.init) ?? ""
    let file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw MeasurementFailure("\(name) cannot be created: \(reason)") }
    guard let easy = curl_easy_init() else { throw MeasurementFailure("libcurl has no handle") }
    let context = UnsafeMutableRawPointer(bitPattern: Int(file) + 1)
    guard ccurl_set_string(easy, CURLOPT_URL, url) == CURLE_OK,
      ccurl_set_receiver(easy, CURLOPT_WRITEFUNCTION, writeToFile) == CURLE_OK,
      ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context) == CURLE_OK,
      ccurl_set_pointer(easy, CURLOPT_PRIVATE, context) == CURLE_OK,
      ccurl_set_long(easy, CURLOPT_FAILONERROR, 1) == CURLE_OK,
      ccurl_set_long(easy, CURLOPT_BUFFERSIZE, 128 << 10) == CURLE_OK,
      curl_multi_add_handle(multi, easy) == CURLM_OK
    else { throw MeasurementFailure("libcurl refuses an option") }
  }

  private static func end(
    _ easy: UnsafeMutableRawPointer, _ result: CURLcode, _ multi: UnsafeMutableRawPointer
  ) throws {
    guard result == CURLE_OK else {
      throw MeasurementFailure("a file does not arrive: \(String(cString: curl_easy_strerror(result)))")
    }
    var context: UnsafeMutableRawPointer?
    ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context)
    let file = Int32(Int(bitPattern: context) - 1)
    guard fdatasync(file) == 0, close(file) == 0 else { throw MeasurementFailure("a file is not synced: \(reason)") }
    curl_multi_remove_handle(multi, easy)
    curl_easy_cleanup(easy)
  }

  private static func synchronize(_ directory: Int32) throws {
    guard fsync(directory) == 0 else { throw MeasurementFailure("a folder is not synced: \(reason)") }
  }

  private static var reason: String { String(cString: strerror(errno)) }
}

/// libcurl's write callback; its context is the file's descriptor, plus one.
private func writeToFile(
  bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  write(Int32(Int(bitPattern: context) - 1), bytes, size * count)
}
