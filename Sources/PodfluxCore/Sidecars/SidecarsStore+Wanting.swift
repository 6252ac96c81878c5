import Flux

/// Which sidecars are wanted.
extension SidecarsStore {
  /// Asks for the sidecars of a download that is completed. What is there, or was removed by a person, stays so.
  mutating func want(for id: DownloadID, settings: Settings, in turn: borrowing PodfluxTurn) throws {
    let kinds = settings.sidecars
    guard !kinds.isEmpty, let download = try turn.tables.downloads.find(id), case .completed(let file) = download.state
    else { return }
    let episode = try turn.tables.episodes.find(having: id)
    let feeds = turn.tables.feeds
    let feed = try episode.flatMap { try feeds.find($0.feed) }
    let known = try turn.tables.sidecars.sidecars(of: id).filter { !$0.isLeaving }
    for kind in kinds.kinds where kind.isOfDownload && !known.contains(where: { $0.kind == kind }) {
      guard let source = try Self.source(of: kind, for: episode, feed, turn.tables.episodes) else { continue }
      let stem = Sidecar.stem(of: kind, beside: file.path, language: feed?.podcast?.language)
      try insert(kind, owner: id, at: source.address, stem, of: feed, in: turn)
    }
    if kinds.contains(.cover), let feed { try wantCover(of: feed, for: download, file, episode, settings, in: turn) }
  }

  private enum Source {
    case address(WebAddress)
    case rows

    var address: WebAddress? { if case .address(let address) = self { address } else { nil } }
  }

  /// Where a download's sidecar comes from; nil if there is none.
  private static func source(
    of kind: SidecarKind, for episode: Episode?, _ feed: Feed?, _ episodes: any EpisodeTable
  ) throws -> Source? {
    switch kind {
    case .cover: nil
    case .picture:
      episode?.content.image.flatMap { $0.description == feed?.podcast?.image ? nil : Source.address($0) }
    case .info: .rows
    case .notes: try episode.flatMap { try episodes.hasNotes($0.id) ? Source.rows : nil }
    case .chapters: episode?.content.chapters.map(Source.address)
    case .transcript: episode?.content.transcript.map(Source.address)
    }
  }

  /// Asks for the cover of a folder; the first download of the folder decides which one.
  private mutating func wantCover(
    of feed: Feed, for download: Download, _ file: PublishedFile, _ episode: Episode?, _ settings: Settings,
    in turn: borrowing PodfluxTurn
  ) throws {
    guard download.description.path == nil, let image = feed.podcast?.image, let address = try? WebAddress(image) else {
      return
    }
    let template = feed.wishes.filenameTemplate ?? settings.filenameTemplate
    let naming = episode.map { DownloadNaming(template, of: $0) { nil } } ?? DownloadNaming(template)
    guard let folder = Sidecar.folder(of: file.path, podcast: download.description.podcast, naming: naming) else {
      return
    }
    let stem = Sidecar.coverStem(in: folder)
    guard try turn.tables.sidecars.cover(at: stem) == nil else { return }
    try insert(.cover, owner: nil, at: address, stem, of: feed, in: turn)
  }

  private mutating func insert(
    _ kind: SidecarKind, owner: DownloadID?, at address: WebAddress?, _ stem: String, of feed: Feed?,
    in turn: borrowing PodfluxTurn
  ) throws {
    let sidecar = Sidecar(
      kind: kind, owner: owner, address: address, stem: stem, state: .wanted(failures: 0, next: turn.now),
      session: address == nil ? nil : feed?.session, feedReadFrom: feed?.refreshes.readFrom ?? .unknown)
    try turn.tables.sidecars.insert(sidecar)
    (hasRows, mayFetch) = (true, true)
  }

  /// The feed of a download has another session: what is still to be fetched for it has it too, if it had the former
  /// one.
  func follow(
    _ session: Session.Key?, from former: Session.Key?, _ id: DownloadID, in turn: borrowing PodfluxTurn
  ) throws {
    var followers = try turn.tables.sidecars.sidecars(of: id)
    if case .completed(let file)? = try turn.tables.downloads.find(id)?.state {
      followers += try covers(above: file.path, in: turn)
    }
    for var sidecar in followers where sidecar.session == former {
      guard sidecar.isToBeFetched, sidecar.address != nil else { continue }
      sidecar.session = session
      try turn.tables.sidecars.update(sidecar)
    }
  }

  /// Tells that a sidecar may have its session no more. Those that have it yet are looked up then.
  func tellLeft(_ sidecar: Sidecar, in turn: inout PodfluxTurn) {
    if let session = sidecar.session { turn.tell(.sidecars(.session(.left(session)))) }
  }

  /// Asks some of the completed downloads, after the setting has got more kinds. The next turn goes on.
  mutating func scan(settings: Settings, in turn: inout PodfluxTurn) throws {
    guard let after = scanAfter else { return }
    let (downloads, next) = try turn.tables.sidecars.completedDownloads(after: after, limit: SidecarLimits.rowsAtOnce)
    for id in downloads { try want(for: id, settings: settings, in: turn) }
    scanAfter = settings.sidecars.isEmpty ? nil : next
    try turn.tables.sidecars.save(scanAfter: scanAfter)
  }
}
