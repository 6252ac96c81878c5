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

  /// How long the thread sleeps while nothing runs; a start wakes it.
  static let idlePollMilliseconds = 60_000
}
