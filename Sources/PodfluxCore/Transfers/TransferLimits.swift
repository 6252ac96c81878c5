/// What all transfers together keep to, and what may change while they run.
public struct TransferLimits: Hashable, Sendable {
  /// How many bytes may arrive in a second, all transfers together; 0 for as many as come.
  public var bytesPerSecond: Int64
  /// How many bytes are left free on the disk.
  public var reserveFreeBytes: Int64

  /// Makes limits.
  public init(bytesPerSecond: Int64 = 0, reserveFreeBytes: Int64 = 0) {
    self.bytesPerSecond = bytesPerSecond
    self.reserveFreeBytes = reserveFreeBytes
  }
}
