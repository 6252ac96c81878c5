/// Room for files whose length is in doubt, and bodies that grow beyond measure.
extension TransferMachine {
  /// A piece of the body cannot be decoded: the exchange is of no use any more.
  package mutating func decodingFailed(_ error: DownloadError) -> BodyVerdict {
    guard case .receiving(let plan) = state, !isStopping else { return .stop }
    if error.code == .tooLarge { isFileTooLarge = true }
    state = .finishing(.failed(error), plan)
    return .stop
  }

  /// What is wrong with a body whose length no server has named, once it has so many bytes: more than the quota leaves.
  func outgrowth(_ length: Int64) -> DownloadError? {
    guard let left = attempt.doubt?.quotaLeft, total == nil, length - base > max(0, left)
    else { return nil }
    return DownloadError(
      .noSpace,
      "the file has \(length) bytes or more, and the quota leaves no room for so many; remove some downloads or raise it",
      shortBytes: length - base - max(0, left))
  }

  /// How long the file is; nil for unknown.
  package var total: Int64? { (incoming ?? version).total }

  /// What is wrong with the length that a server has named first or anew, where there is no room for so much. It is
  /// believed for some time from now on.
  mutating func shortage(for incoming: FileVersion) -> DownloadError? {
    guard let (room, reserve) = roomInDoubt, let total = incoming.total else { return nil }
    let needed = max(0, total - base)
    var error = DownloadError.shortage(of: needed, room: room, reserve: reserve)
    if error == nil, let left = attempt.doubt?.quotaLeft, left < needed {
      error = DownloadError(
        .noSpace, "\(needed) bytes are needed, and the quota leaves \(max(0, left)); remove some downloads or raise it",
        shortBytes: needed - max(0, left))
    }
    guard error != nil else { return nil }
    isTooLongForRoom = true
    version.total = version.total ?? total
    return error
  }
}
