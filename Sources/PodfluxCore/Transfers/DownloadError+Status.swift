extension DownloadError {
  /// A server has answered with a status that brings nothing of what was asked for, a file or a feed.
  public static func answered(_ status: Int, to thing: String) -> DownloadError {
    let said = "the server answered \(status)"
    return switch status {
    case 401: DownloadError(.unauthorized, "\(said): it wants credentials", status: status)
    case 403: DownloadError(.forbidden, "\(said): it refuses access", status: status)
    case 404: DownloadError(.notFound, "\(said): there is no such \(thing)", status: status)
    case 410: DownloadError(.gone, "\(said): the \(thing) is gone for good", status: status)
    case 206:
      DownloadError(.rangeMismatch, "\(said): a part, although the whole \(thing) was asked for", status: status)
    default: DownloadError(.httpStatus, said, status: status)
    }
  }
}
