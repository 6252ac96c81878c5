import Flux

/// What the store of sidecars asks services to do. Each order bears being carried out twice.
public enum SidecarOrder: Hashable, Sendable {
  /// Fetch, or make, a sidecar.
  case fetch(SidecarFetch)
  /// The row knows the file that was announced: it may get its name.
  case proceed(SidecarFetch.ID)
  /// End a fetch.
  case stop(SidecarFetch.ID)
  /// Delete a file, unless it has been changed since.
  case delete(SidecarDeletion)
  /// Give a file another name.
  case move(SidecarMove)
  /// Look which of these files are as they were.
  case look(SidecarLook)
}

/// One attempt to fetch a sidecar.
public struct SidecarFetch: Hashable, Sendable {
  /// Which attempt it is.
  public struct ID: Hashable, Sendable {
    public var sidecar: Sidecar.Key
    /// The sequence number of the action that started it: unique within a library.
    public var generation: Int64

    public init(sidecar: Sidecar.Key, generation: Int64) {
      self.sidecar = sidecar
      self.generation = generation
    }
  }

  /// Where the file's bytes come from.
  public enum Source: Hashable, Sendable {
    case address(WebAddress)
    /// The text itself.
    case text(String)
    /// Nothing is fetched: an attempt that has not ended well was about to give this file its name, and whether it has
    /// it is looked up.
    case earlier(PublishedFile)
  }

  public var id: ID
  public var kind: SidecarKind
  public var source: Source
  /// The path without the extension.
  public var stem: String
  /// The settings at its start. Later changes of settings do not affect it.
  public var settings: Settings
  /// The route that its connections must take.
  public var route: Route
  /// To which addresses they may lead.
  public var reach: Reach
  /// The credentials that its request is sent with; nil for none.
  public var session: SessionUse?

  public init(
    id: ID, kind: SidecarKind, source: Source, stem: String, settings: Settings, route: Route, reach: Reach,
    session: SessionUse? = nil
  ) {
    self.id = id
    self.kind = kind
    self.source = source
    self.stem = stem
    self.settings = settings
    self.route = route
    self.reach = reach
    self.session = session
  }
}

/// A sidecar's file that is owed its deletion.
public struct SidecarDeletion: Hashable, Sendable {
  public var sidecar: Sidecar.Key
  public var file: PublishedFile
  /// Where it may lie as well, because it was being moved there.
  public var other: LibraryPath?
  /// The folders on its way that the engine has made: they go with it if nothing else is in them.
  public var ownFolders: [LibraryPath]

  public init(sidecar: Sidecar.Key, file: PublishedFile, other: LibraryPath? = nil, ownFolders: [LibraryPath] = []) {
    self.sidecar = sidecar
    self.file = file
    self.other = other
    self.ownFolders = ownFolders
  }
}

/// A sidecar's file that gets another name.
public struct SidecarMove: Hashable, Sendable {
  public var sidecar: Sidecar.Key
  public var file: PublishedFile
  public var path: LibraryPath
  public var move: CleanupStep.Move

  public init(sidecar: Sidecar.Key, file: PublishedFile, path: LibraryPath, move: CleanupStep.Move) {
    self.sidecar = sidecar
    self.file = file
    self.path = path
    self.move = move
  }
}

/// Files of sidecars that are looked at.
public struct SidecarLook: Hashable, Sendable {
  /// A sidecar and its file.
  public struct Subject: Hashable, Sendable {
    public var sidecar: Sidecar.Key
    public var file: PublishedFile

    public init(sidecar: Sidecar.Key, file: PublishedFile) {
      self.sidecar = sidecar
      self.file = file
    }
  }

  /// The sequence number of the action that began the round.
  public var round: Int64
  /// In the order of their numbers.
  public var subjects: [Subject]

  public init(round: Int64, subjects: [Subject]) {
    self.round = round
    self.subjects = subjects
  }
}

/// What services have found out about sidecars.
public enum SidecarFact: Hashable, Sendable {
  case fetch(SidecarReport)
  /// A file is gone, or was another one by then.
  case deleted(Sidecar.Key)
  /// A file cannot be deleted now.
  case notDeleted(Sidecar.Key)
  /// A file has its new name, and these folders were made for it.
  case moved(Sidecar.Key, madeFolders: [LibraryPath])
  /// A file does not get its new name.
  case notMoved(Sidecar.Key)
  /// Of the files that were looked at, these are gone, or are other ones by now.
  case looked(round: Int64, changed: [Sidecar.Key])

  /// The largest number of changed files in one report of a look.
  public static let changedAtOnce = SidecarLimits.rowsAtOnce
}

/// A report of the fetch of a sidecar to its store.
public struct SidecarReport: Hashable, Sendable {
  public var fetch: SidecarFetch.ID
  public var news: News
  /// How many bytes of the body have come over the network since its last report.
  public var fetched: Int64

  /// How far a fetch has come.
  public enum News: Hashable, Sendable {
    /// The file is complete and synced, and waits for `proceed` to get this name.
    case publishing(PublishedFile)
    /// The file has its name.
    case finished(PublishedFile)
    /// The earlier file does not have its name.
    case unpublished
    /// The fetch has failed; the server may have asked to wait this many milliseconds.
    case failed(DownloadError, retryAfter: Int64?)
    /// The engine has stopped it.
    case stopped

    /// Whether the fetch has ended with it.
    public var isEnd: Bool { if case .publishing = self { false } else { true } }
  }

  public init(fetch: SidecarFetch.ID, news: News, fetched: Int64 = 0) {
    self.fetch = fetch
    self.news = news
    self.fetched = fetched
  }
}
