/// The limits of all transfers together, which may change while they run.
public struct TransferLimits: Hashable, Sendable {
  /// How many bytes may arrive per second over all transfers; 0 for no limit.
  public var bytesPerSecond: Int64
  /// How many bytes to leave free on the disk.
  public var reserveFreeBytes: Int64

  public init(bytesPerSecond: Int64 = 0, reserveFreeBytes: Int64 = 0) {
    self.bytesPerSecond = bytesPerSecond
    self.reserveFreeBytes = reserveFreeBytes
  }
}
