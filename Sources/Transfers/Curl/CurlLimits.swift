import PodfluxCore

/// Every bound the driver keeps.
enum CurlLimits {
  /// How often delegates hear that time passes, write what has come, and stalls are looked for.
  static let tickMilliseconds = Int(WritePolicy.writeMilliseconds)

  static let maxRedirects = 10

  /// The most bytes of a redirect's body that are read to keep the connection; beyond, closing it is cheaper.
  static let maxRedirectBodyBytes: Int64 = 64 * 1024

  /// Connections kept open for the next exchange, of all hosts together.
  static let maxIdleConnections = 32

  /// Easy handles kept for the next exchange.
  static let maxIdleEasyHandles = 32

  /// libcurl's largest buffer halves the time of a fast download, but is paid for by each running exchange: so only
  /// the first few have it (16 times 512 KiB and 240 times 32 KiB are 15.5 MiB).
  static let largeBufferBytes = 512 * 1024
  static let smallBufferBytes = 32 * 1024
  static let maxExchangesWithLargeBuffer = 16

  /// The buffer of an exchange that begins beside so many others, all limited to this rate together; 0 for no limit.
  static func bufferBytes(besides others: Int, bytesPerSecond: Int64) -> Int {
    let bytes = others < maxExchangesWithLargeBuffer ? largeBufferBytes : smallBufferBytes
    guard bytesPerSecond > 0 else { return bytes }
    return min(bytes, max(smallestBufferBytes, Int(clamping: bytesPerSecond / buffersPerLimitedSecond)))
  }

  /// A buffer is filled at once: where bytes are limited it takes at most this part of what may come in a second.
  static let buffersPerLimitedSecond: Int64 = 64
  /// What libcurl hands over at once (`CURL_MAX_WRITE_SIZE`): a limit may be taken away while the exchange runs, and with
  /// less it would be slow then. The kernel's own buffers are left alone: it sends what it has promised to take in small
  /// pieces only, throws some of them away, and may need half a minute to see that there is room again.
  static let smallestBufferBytes = 16 * 1024

  /// How long the thread sleeps while nothing runs; a start wakes it.
  static let idlePollMilliseconds: Int32 = 60_000
}
