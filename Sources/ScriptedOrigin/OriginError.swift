/// Why an origin cannot be started, or why a test has waited for it in vain.
package enum OriginError: Error, Sendable {
  /// The origin cannot listen on the port.
  case cannotListen(port: Int, underlying: any Error)
  /// The certificate or the key is unusable.
  case unusableTLSMaterial(TLSMaterial)
  /// The awaited condition did not hold in time; the snapshot is the last one.
  case timedOut(after: Duration, last: Snapshot)
}
