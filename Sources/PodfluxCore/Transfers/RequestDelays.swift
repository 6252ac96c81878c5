/// For how long after its start an engine begins no downloads, and no refreshes.
///
/// A program that changes something, and ends the engine at once, asks servers for nothing then that it would break
/// off.
///
/// ```swift
/// configuration.requestDelays = RequestDelays(downloads: .seconds(2), refreshes: .seconds(10))
/// ```
public struct RequestDelays: Hashable, Sendable {
  /// Of downloads, and of the small files beside them.
  public var downloads: Duration
  public var refreshes: Duration

  /// - Parameters:
  ///   - downloads: Of downloads, and of the small files beside them; none by default.
  ///   - refreshes: Of refreshes; none by default.
  public init(downloads: Duration = .zero, refreshes: Duration = .zero) {
    self.downloads = downloads
    self.refreshes = refreshes
  }
}
