import Flux

/// What the store of sidecars asks services to do. Each order bears being carried out twice.
package enum SidecarOrder: Hashable, Sendable {
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
package struct SidecarFetch: Hashable, Sendable {
  /// Which attempt it is.
  package struct ID: Hashable, Sendable {
    package var sidecar: Sidecar.Key
    /// The sequence number of the action that started it: unique within a library.
    package var generation: Int64

    package init(sidecar: Sidecar.Key, generation: Int64) {
      self.sidecar = sidecar
      self.generation = generation
    }
  }

  /// Where the file's bytes come from.
  package enum Source: Hashable, Sendable {
    case address(WebAddress)
    /// The text itself.
    case text(String)
    /// Nothing is fetched: an attempt that has not ended well was about to give this file its name, and whether it has
    /// it is looked up.
    case earlier(PublishedFile)
  }

  package var id: ID
  package var kind: SidecarKind
  package var source: Source
  /// The path without the extension.
  package var stem: String
  /// The settings at its start. Later changes of settings do not affect it.
  package var settings: Settings
  /// The route that its connections must take.
  package var route: Route
  /// To which addresses they may lead.
  package var reach: Reach
  /// The credentials that its request is sent with; nil for none.
  package var session: SessionUse?

  package init(
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
package struct SidecarDeletion: Hashable, Sendable {
  package var sidecar: Sidecar.Key
  package var file: PublishedFile
  /// Where it may lie as well, because it was being moved there.
  package var other: LibraryPath?
  /// The folders on its way that the engine has made: they go with it if nothing else is in them.
  package var ownFolders: [LibraryPath]

  package init(sidecar: Sidecar.Key, file: PublishedFile, other: LibraryPath? = nil, ownFolders: [LibraryPath] = []) {
    self.sidecar = sidecar
    self.file = file
    self.other = other
    self.ownFolders = ownFolders
  }
}

/// A sidecar's file that gets another name.
package struct SidecarMove: Hashable, Sendable {
  package var sidecar: Sidecar.Key
  package var file: PublishedFile
  package var path: LibraryPath
  package var move: CleanupStep.Move

  package init(sidecar: Sidecar.Key, file: PublishedFile, path: LibraryPath, move: CleanupStep.Move) {
    self.sidecar = sidecar
    self.file = file
    self.path = path
    self.move = move
  }
}

/// Files of sidecars that are looked at.
package struct SidecarLook: Hashable, Sendable {
  /// A sidecar and its file.
  package struct Subject: Hashable, Sendable {
    package var sidecar: Sidecar.Key
    package var file: PublishedFile

    package init(sidecar: Sidecar.Key, file: PublishedFile) {
      self.sidecar = sidecar
      self.file = file
    }
  }

  /// The sequence number of the action that began the round.
  package var round: Int64
  /// In the order of their numbers.
  package var subjects: [Subject]

  package init(round: Int64, subjects: [Subject]) {
    self.round = round
    self.subjects = subjects
  }
}

/// What services have found out about sidecars.
package enum SidecarFact: Hashable, Sendable {
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
  package static let changedAtOnce = SidecarLimits.rowsAtOnce
}

/// A report of the fetch of a sidecar to its store.
package struct SidecarReport: Hashable, Sendable {
  package var fetch: SidecarFetch.ID
  package var news: News
  /// How many bytes of the body have come over the network since its last report.
  package var fetched: Int64

  /// How far a fetch has come.
  package enum News: Hashable, Sendable {
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
    package var isEnd: Bool { if case .publishing = self { false } else { true } }
  }

  package init(fetch: SidecarFetch.ID, news: News, fetched: Int64 = 0) {
    self.fetch = fetch
    self.news = news
    self.fetched = fetched
  }
}
