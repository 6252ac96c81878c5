import Flux

/// Which sidecars are wanted.
extension SidecarsStore {
  /// Asks for the sidecars of a download that is completed. What is there, or was removed by a person, stays so.
  mutating func want(for id: DownloadID, reading context: Context, in turn: borrowing StoreTurn<Self>) throws {
    let kinds = context.settings.sidecars
    guard !kinds.isEmpty, let download = try turn.tables.downloads.find(id), case .completed(let file) = download.state
    else { return }
    let episode = try turn.tables.episodes.find(having: id)
    let feeds = turn.tables.feeds
    let feed = try episode.flatMap { try feeds.find($0.feed) }
    let known = try turn.tables.sidecars.sidecars(of: id).filter { !$0.isLeaving }
    for kind in kinds.kinds where kind.isOfDownload && !known.contains(where: { $0.kind == kind }) {
      guard let source = try Self.source(of: kind, for: episode, feed, turn.tables.episodes) else { continue }
      let stem = Sidecar.stem(of: kind, beside: file.path, language: feed?.podcast?.language)
      try insert(kind, owner: id, at: source.address, stem, of: feed, reading: context, in: turn)
    }
    if kinds.contains(.cover), let feed {
      try wantCover(of: feed, for: download, file, episode, reading: context, in: turn)
    }
  }

  private enum Source {
    case address(WebAddress)
    case rows

    var address: WebAddress? { if case .address(let address) = self { address } else { nil } }
  }

  /// Where a download's sidecar comes from; nil if there is none.
  private static func source(
    of kind: SidecarKind, for episode: Episode?, _ feed: Feed?, _ episodes: any EpisodeTableReader
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
    of feed: Feed, for download: Download, _ file: PublishedFile, _ episode: Episode?, reading context: Context,
    in turn: borrowing StoreTurn<Self>
  ) throws {
    guard download.description.path == nil, let image = feed.podcast?.image, let address = try? WebAddress(image) else {
      return
    }
    let template = feed.wishes.filenameTemplate ?? context.settings.filenameTemplate
    let naming = episode.map { DownloadNaming(template, of: $0) { nil } } ?? DownloadNaming(template)
    guard let folder = Sidecar.folder(of: file.path, podcast: download.description.podcast, naming: naming) else {
      return
    }
    let stem = Sidecar.coverStem(in: folder)
    guard try turn.tables.sidecars.cover(at: stem) == nil else { return }
    try insert(.cover, owner: nil, at: address, stem, of: feed, reading: context, in: turn)
  }

  private mutating func insert(
    _ kind: SidecarKind, owner: DownloadID?, at address: WebAddress?, _ stem: String, of feed: Feed?,
    reading context: Context, in turn: borrowing StoreTurn<Self>
  ) throws {
    let sidecar = Sidecar(
      kind: kind, owner: owner, address: address, stem: stem, state: .wanted(failures: 0, next: turn.now),
      session: address.flatMap { context.sessions.inherited(feed?.session, by: $0.host) },
      feedReadFrom: feed?.refreshes.readFrom ?? .unknown)
    try turn.tables.sidecars.insert(sidecar)
    (hasRows, mayFetch) = (true, true)
  }

  /// The feed of a download has another session: what is still to be fetched for it has it too, if it had the former
  /// one. Each of the two only where it is for the host.
  func follow(
    _ session: Session.Key?, from former: Session.Key?, _ id: DownloadID, reading context: Context,
    in turn: borrowing StoreTurn<Self>
  ) throws {
    var followers = try turn.tables.sidecars.sidecars(of: id)
    if case .completed(let file)? = try turn.tables.downloads.find(id)?.state {
      followers += try covers(above: file.path, in: turn)
    }
    for var sidecar in followers where sidecar.isToBeFetched {
      guard let host = sidecar.address?.host,
        [former, context.sessions.inherited(former, by: host)].contains(sidecar.session)
      else { continue }
      sidecar.session = context.sessions.inherited(session, by: host)
      try turn.tables.sidecars.update(sidecar)
    }
  }

  /// Takes sessions from what is at other hosts than theirs, as rows of former versions are, and what has been named
  /// before a client changed the session's hosts: it would wait among those that need the login. Cost: linear in those
  /// that are to be fetched with sessions; a start asks.
  func leaveForeignSessions(reading context: Context, in turn: borrowing StoreTurn<Self>) throws {
    for session in context.sessions.sessions.keys.sorted() {
      var last: Sidecar.Key? = 0
      while let after = last {
        let page = try turn.tables.sidecars.sidecars(of: session, after: after, limit: SidecarLimits.rowsAtOnce)
        for var sidecar in page {
          let own = sidecar.address.flatMap { context.sessions.inherited(session, by: $0.host) }
          guard own == nil else { continue }
          sidecar.session = nil
          try turn.tables.sidecars.update(sidecar)
        }
        last = page.count == SidecarLimits.rowsAtOnce ? page.last?.key : nil
      }
    }
  }

  /// Tells that a sidecar may have its session no more. Those that have it yet are looked up then.
  func tellLeft(_ sidecar: Sidecar, in turn: inout StoreTurn<Self>) {
    if let session = sidecar.session { turn.tell(.sidecars(.session(.left(session)))) }
  }

  /// Asks some of the completed downloads, after the setting has got more kinds. The next turn goes on.
  mutating func scan(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    guard let after = scanAfter else { return }
    let (downloads, next) = try turn.tables.sidecars.completedDownloads(after: after, limit: SidecarLimits.rowsAtOnce)
    for id in downloads { try want(for: id, reading: context, in: turn) }
    scanAfter = context.settings.sidecars.isEmpty ? nil : next
    try turn.tables.sidecars.save(scanAfter: scanAfter)
  }
}
