/// A client's request to give files the names that they would get now (the article Naming).
///
/// ```swift
/// _ = try await podflux.dispatch(.cleanup(.rename(RenameRequest(feed: feed.id, mode: .plan))))
/// ```
public struct RenameRequest: Hashable, Sendable {
  /// The feed whose files are meant; nil for all files of the library.
  public var feed: FeedID?
  /// Whether to change anything.
  public var mode: CleanupOptions.Mode

  public init(feed: FeedID? = nil, mode: CleanupOptions.Mode = .apply) {
    self.feed = feed
    self.mode = mode
  }

  /// What the run does under these settings.
  func renaming(under settings: Settings) -> Renaming {
    Renaming(
      feed: feed, template: settings.filenameTemplate, timeZone: settings.nameTimeZone,
      isPortable: settings.portableNames)
  }
}

/// What a run renames, and how. The settings count as they were when it was asked for.
///
/// Use: `run.renaming`, nil for a run that renames nothing.
public struct Renaming: Hashable, Sendable, Codable {
  /// The feed whose files are meant; nil for all files.
  public var feed: FeedID?
  /// The library's template; a feed's own one takes its place.
  public var template: NameTemplate
  public var timeZone: NameTimeZone
  /// Whether names are portable.
  public var isPortable: Bool

  package init(feed: FeedID? = nil, template: NameTemplate, timeZone: NameTimeZone, isPortable: Bool) {
    self.feed = feed
    self.template = template
    self.timeZone = timeZone
    self.isPortable = isPortable
  }

  /// The settings that names depend on; the others are the defaults.
  package var settings: Settings {
    var settings = Settings()
    (settings.filenameTemplate, settings.nameTimeZone, settings.portableNames) = (template, timeZone, isPortable)
    return settings
  }
}

/// A completed download, and what its file can be named after.
package struct NameableDownload: Hashable, Sendable {
  package var download: Download
  /// The newest episode that has it.
  package var episode: Episode?
  /// The episode's feed.
  package var feed: Feed?

  package init(_ download: Download, episode: Episode? = nil, feed: Feed? = nil) {
    self.download = download
    self.episode = episode
    self.feed = feed
  }
}

extension NameableDownload {
  /// What is known for naming its file anew; nil if the file is not to be renamed: its client has named the path,
  /// another program has made the file, it belongs to another feed, or it is named after what its server has said.
  ///
  /// - Parameters:
  ///   - renaming: What is renamed, and how.
  ///   - file: The file as it is.
  ///   - index: The episode's place in its feed. Called if the template asks for it.
  package func namingFacts(
    for renaming: Renaming, of file: PublishedFile, index: (Episode) throws -> Int64?
  ) rethrows -> PublishingFacts? {
    guard renaming.feed == nil || renaming.feed == feed?.id, download.description.path == nil,
      !download.address.isOfAdopted, download.description.title != nil
    else { return nil }
    let template = feed?.wishes.filenameTemplate ?? renaming.template
    let naming = try episode.map { episode in
      try DownloadNaming(template, of: episode) { try index(episode) }
    }
    return PublishingFacts(
      description: download.description, address: download.address, settings: renaming.settings,
      naming: naming ?? DownloadNaming(template), fileExtension: FileExtension.of(name: file.path.name))
  }
}
