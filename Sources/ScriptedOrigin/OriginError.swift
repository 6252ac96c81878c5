/// What can go wrong with an origin.
public enum OriginError: Error, Sendable {
  /// The port cannot be listened on.
  case cannotListen(port: Int, underlying: any Error)
  /// The certificate or the key cannot be used.
  case unusableTLSMaterial(underlying: any Error)
  /// What was waited for did not come about in time; the snapshot is the last one.
  case timedOut(after: Duration, last: Snapshot)
}
