/// The limits of all transfers together, which may change while they run.
package struct TransferLimits: Hashable, Sendable {
  /// How many bytes may arrive per second over all transfers; 0 for no limit.
  package var bytesPerSecond: Int64
  /// How many bytes to leave free on the disk.
  package var reserveFreeBytes: Int64

  package init(bytesPerSecond: Int64 = 0, reserveFreeBytes: Int64 = 0) {
    self.bytesPerSecond = bytesPerSecond
    self.reserveFreeBytes = reserveFreeBytes
  }
}
