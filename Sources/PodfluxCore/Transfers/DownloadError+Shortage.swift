extension DownloadError {
  /// What is wrong where so many bytes are to be written, and so many are free of which a reserve is to be left; nil where
  /// there is room for them.
  ///
  /// At least `WritePolicy.reservedRoom` is left, whatever the reserve.
  public static func shortage(of needed: Int64, room: Int64, reserve: Int64) -> DownloadError? {
    let left = max(reserve, WritePolicy.reservedRoom)
    guard room - left < needed else { return nil }
    // What a server says of its file's length may be any number.
    let (short, isOverflow) = needed.subtractingReportingOverflow(room - left)
    let use = left == reserve ? "as the reserve" : "for the library itself"
    return DownloadError(
      .noSpace, "\(needed) bytes are needed beside \(left) left free \(use), and \(room) are free; free some",
      shortBytes: isOverflow ? .max : short)
  }
}
