import PodfluxCore

/// The driver's limits.
enum CurlLimits {
  /// The interval of ticks, at which delegates write received bytes and the driver looks for stalls.
  static let tickMilliseconds = Int(WritePolicy.writeMilliseconds)

  static let maxRedirects = 10

  /// How many challenges of a hop libcurl may answer: one, and one more if the server finds its nonce stale.
  static let maxChallenges = 2

  /// The most bytes of a redirect's body that are read to keep the connection; beyond that, closing it is cheaper.
  static let maxRedirectBodyBytes: Int64 = 64 * 1024

  /// How many idle connections are kept for later exchanges, over all hosts.
  static let maxIdleConnections = 32

  /// How many easy handles are kept for later exchanges.
  static let maxIdleEasyHandles = 32

  /// libcurl's largest buffer halves the time of a fast download, but every running exchange has its own: only the
  /// first few get it (16 times 512 KiB and 240 times 32 KiB are 15.5 MiB).
  static let largeBufferBytes = 512 * 1024
  static let smallBufferBytes = 32 * 1024
  static let maxExchangesWithLargeBuffer = 16

  /// The buffer of an exchange that starts beside `others`, under their common rate limit; 0 for no limit.
  static func bufferBytes(besides others: Int, bytesPerSecond: Int64) -> Int {
    let bytes = others < maxExchangesWithLargeBuffer ? largeBufferBytes : smallBufferBytes
    guard bytesPerSecond > 0 else { return bytes }
    return min(bytes, max(smallestBufferBytes, Int(clamping: bytesPerSecond / buffersPerLimitedSecond)))
  }

  /// A buffer fills at once: under a limit it holds at most this fraction of a second's bytes.
  static let buffersPerLimitedSecond: Int64 = 64
  /// The size of libcurl's pieces (`CURL_MAX_WRITE_SIZE`): a limit may be lifted while the exchange runs, and a smaller
  /// buffer would be slow then. The kernel's buffers stay unchanged: with a smaller receive window it takes only small
  /// pieces, drops some, and may need half a minute to reopen the window.
  static let smallestBufferBytes = 16 * 1024

  /// How long the idle thread sleeps; a start wakes it.
  static let idlePollMilliseconds: Int32 = 60_000
}
