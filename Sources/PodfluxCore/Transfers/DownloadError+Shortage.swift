extension DownloadError {
  /// The error if `needed` bytes do not fit into the free `room` with a reserve; nil if they fit.
  ///
  /// It always keeps at least `WritePolicy.reservedRoom`, for any reserve.
  package static func shortage(of needed: Int64, room: Int64, reserve: Int64) -> DownloadError? {
    let left = max(reserve, WritePolicy.reservedRoom)
    guard room - left < needed else { return nil }
    // A server may claim any length.
    let (short, isOverflow) = needed.subtractingReportingOverflow(room - left)
    let use = left == reserve ? "as the reserve" : "for the library itself"
    return DownloadError(
      .noSpace, "\(needed) bytes are needed beside \(left) left free \(use), and \(room) are free; free some",
      shortBytes: isOverflow ? .max : short)
  }
}
