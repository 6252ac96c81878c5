import TestSupport

/// Lines that enqueue downloads whose ids, titles and podcasts come in random order; the same ones each time.
enum RandomEnqueues {
  private static let hostCount = 200
  private static let podcastCount = 3000

  /// - Parameter url: The URL of a text that no other line has, on a host.
  static func lines(_ numbers: Range<Int>, url: (_ text: String, _ host: String) -> String) -> [UInt8] {
    var random = SeededRandom(seed: UInt64(numbers.lowerBound) + 1)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * 256)
    for number in numbers {
      // libcurl resolves every name in localhost to this machine (RFC 6761 section 6.3).
      let host = "host\(random.next() % UInt64(hostCount)).localhost"
      let words = (0..<4).map { _ in String(random.next() >> 44, radix: 36) }
      let line = """
        {"type":"downloads/enqueue","payload":{"id":"\(hex(random.next()))","paused":true,\
        "podcast":"Show \(random.next() % UInt64(podcastCount))","title":"\(words.joined(separator: " "))",\
        "url":"\(url("\(hex(random.next()))-\(number).mp3", host))"},"meta":{"id":\(number)}}

        """
      bytes += line.utf8
    }
    return bytes
  }

  private static func hex(_ number: UInt64) -> String { String(number, radix: 16) }
}
