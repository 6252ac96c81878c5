extension Duration {
  /// The timeout in milliseconds for poll(2) and epoll_wait(2): rounded up, so that no wait ends too early, and at
  /// least 0.
  package var waitMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: max(0, milliseconds))
  }
}
