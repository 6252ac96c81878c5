/// Why the engine has stopped.
package enum StopReason: String, Hashable, Sendable, CaseIterable {
  /// Its input ended.
  case eof
  /// A client said so.
  case shutdown
  /// A signal came.
  case signal
}
