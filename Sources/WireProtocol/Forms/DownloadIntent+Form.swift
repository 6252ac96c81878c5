import PodfluxCore

/// What clients want of the downloads (the article Protocol).
extension DownloadIntent {
  func exchanged<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) -> Self {
    switch self {
    case .enqueue(var enqueue):
      try enqueue.exchange(with: &coder)
      return .enqueue(enqueue)
    case .pause(var selection):
      coder.type("downloads/pause", "Pauses downloads; bytes and resume data stay.")
      try selection.exchange(with: &coder)
      return .pause(selection)
    case .resume(var selection):
      coder.type("downloads/resume", "Queues paused and failed downloads.")
      try selection.exchange(with: &coder)
      return .resume(selection)
    case .cancel(var selection):
      coder.type("downloads/cancel", "Removes downloads that are not complete, with their partial files.")
      try selection.exchange(with: &coder)
      return .cancel(selection)
    case .retry(var selection):
      coder.type(
        "downloads/retry", "Queues failed downloads, and those that wait for a retry, with no attempt counted.")
      try selection.exchange(with: &coder)
      return .retry(selection)
    case .remove(var selection, var deletingFile):
      coder.type("downloads/remove", "Removes downloads and, unless told otherwise, their files.")
      try selection.exchange(with: &coder) { coder throws(Coder.Fault) in
        try coder.optional("deleteFile", &deletingFile, .boolean, standard: true)
      }
      return .remove(selection, deletingFile: deletingFile)
    case .verify(var selection):
      coder.type("downloads/verify", "Reads completed files again and compares them with their digests.")
      try selection.exchange(with: &coder)
      return .verify(selection)
    case .move(var id, let place):
      var form = PlaceForm(place)
      coder.type("downloads/move", "Moves a download within its priority.")
      try form.exchange(of: &id, with: &coder)
      return .move(id, form.place)
    case .update(var id, var update):
      coder.type("downloads/update", "Changes a download.")
      try update.exchange(of: &id, with: &coder)
      return .update(id, update)
    }
  }
}

extension RequestForm {
  /// The lines about downloads, in the order in which refusals name them.
  static let downloads: [RequestForm] = [
    Self(
      .downloads(.enqueue(.template)),
      naming: [
        "url", "id", "podcast", "title", "published", "path", "priority", "headers", "mirrors", "integrity", "length",
        "resumeData", "paused", "origin", "network", "session", "auth",
      ]),
    Self(.downloads(.pause(.all)), naming: DownloadIntent.Selection.keys),
    Self(.downloads(.resume(.all)), naming: DownloadIntent.Selection.keys),
    Self(.downloads(.cancel(.all)), naming: DownloadIntent.Selection.keys),
    Self(.downloads(.retry(.all)), naming: DownloadIntent.Selection.keys),
    Self(.downloads(.remove(.all, deletingFile: true)), naming: DownloadIntent.Selection.keys),
    Self(.downloads(.verify(.all)), naming: DownloadIntent.Selection.keys),
    Self(.downloads(.move(.template, .top)), naming: ["id", "to", "anchor"]),
    Self(
      .downloads(.update(.template, .init())),
      naming: ["id", "url", "mirrors", "priority", "network", "headers", "title", "podcast", "session", "auth"]),
    Self(asking: .resumeData(.template)),
  ]
}

extension DownloadIntent.Enqueue {
  /// The lengths that a client can name.
  static let lengths = Settings.Limits.volume

  static let template = Self(address: .template)

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    coder.type("downloads/enqueue", "Adds a download.")
    var form = SessionForm(session)
    try form.exchangeLogin(with: &coder)
    try coder.optional("headers", &description.headers, .headers, omitting: [])
    try coder.optional("id", &id, .downloadID)
    try coder.optional("integrity", &description.integrity, .integrity)
    try coder.optional("length", &description.expectedLength, .length)
    try coder.optional("mirrors", &description.mirrors, .mirrors, omitting: [])
    try coder.optional("network", &network, .choice, omitting: .inherit)
    try coder.optional("origin", &origin, .choice, omitting: .user)
    try coder.optional("path", &description.path, .libraryPath)
    try coder.optional("paused", &isPaused, .boolean, omitting: false)
    try coder.optional("podcast", &description.podcast, .label)
    try coder.optional("priority", &priority, .choice, omitting: .normal)
    try coder.optional("published", &description.published, .publicationDate)
    try coder.optional("resumeData", &resume, .resumeData)
    try form.exchangeSession(with: &coder)
    session = form.choice
    try coder.optional("title", &description.title, .label)
    try coder.required("url", &address, .address)
  }
}

extension DownloadIntent.Update {
  fileprivate mutating func exchange<Coder: PayloadCoder>(
    of id: inout DownloadID, with coder: inout Coder
  ) throws(Coder.Fault) {
    var form = SessionForm(session)
    try form.exchangeLogin(with: &coder)
    try coder.optional("headers", &headers, .headers)
    try coder.required("id", &id, .downloadID)
    try coder.optional("mirrors", &mirrors, .mirrors)
    try coder.optional("network", &network, .choice)
    try coder.optional("podcast", &podcast, .label)
    try coder.optional("priority", &priority, .choice)
    try form.exchangeSession(with: &coder)
    session = form.choice
    try coder.optional("title", &title, .label)
    try coder.optional("url", &address, .address)
    try coder.require(
      .any(of: ["url", "mirrors", "priority", "network", "headers", "title", "podcast", "session", "auth"]))
  }
}

extension DownloadIntent.Selection {
  /// The number of downloads that a selection can name.
  package static let maximumIDs = 10_000

  static let keys = ["id", "ids", "where", "all"]

  /// - Parameter more: Exchanges members between `all` and `id`.
  fileprivate mutating func exchange<Coder: PayloadCoder>(
    with coder: inout Coder, and more: (inout Coder) throws(Coder.Fault) -> Void = { _ in }
  ) throws(Coder.Fault) {
    var (all, id, ids, condition) = members
    try coder.require(.one(of: Self.keys, choosing: "downloads"))
    try coder.optional("all", &all, .onlyTrue)
    try more(&coder)
    try coder.optional("id", &id, .downloadID)
    try coder.optional("ids", &ids, .selectedIDs)
    try coder.optional("where", &condition, .condition)
    if let id {
      self = .one(id)
    } else if let ids {
      self = .many(ids)
    } else {
      self = condition.map(Self.matching) ?? .all
    }
  }

  private var members: (all: Bool?, id: DownloadID?, ids: [DownloadID]?, condition: Condition?) {
    switch self {
    case .one(let id): (nil, id, nil, nil)
    case .many(let ids): (nil, nil, ids, nil)
    case .matching(.all([])): (true, nil, nil, nil)
    case .matching(let condition): (nil, nil, nil, condition)
    }
  }
}

/// A place in the queue as two members say it.
private struct PlaceForm {
  private enum Name: String, CaseIterable {
    case top, bottom, before, after
  }

  private var name: Name
  private var anchor: DownloadID?

  init(_ place: DownloadIntent.Place) {
    switch place {
    case .top: name = .top
    case .bottom: name = .bottom
    case .before(let id): (name, anchor) = (.before, id)
    case .after(let id): (name, anchor) = (.after, id)
    }
  }

  mutating func exchange<Coder: PayloadCoder>(
    of id: inout DownloadID, with coder: inout Coder
  ) throws(Coder.Fault) {
    try coder.optional("anchor", &anchor, .downloadID)
    try coder.required("id", &id, .downloadID)
    try coder.required("to", &name, .choice)
    try coder.check { [name] fields throws(Refusal) in
      switch name {
      case .before, .after: _ = try fields.required("anchor")
      case .top, .bottom:
        guard let anchor = fields["anchor"] else { return }
        throw anchor.mustBe("left out: \(name.rawValue) needs no other download")
      }
    }
  }

  var place: DownloadIntent.Place {
    switch (name, anchor) {
    case (.before, let anchor?): .before(anchor)
    case (.after, let anchor?): .after(anchor)
    case (.top, _): .top
    default: .bottom
    }
  }
}
