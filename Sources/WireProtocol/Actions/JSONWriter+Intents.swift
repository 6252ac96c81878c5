import PodfluxCore

/// What the lines of clients' intents hold: what `Request+Line` reads.
extension JSONWriter {
  /// What stands for a value that is nobody's business.
  private static let blank = "…"

  mutating func members(of intent: DownloadIntent) {
    switch intent {
    case .enqueue(let enqueue): members(of: enqueue)
    case .pause(let selection), .resume(let selection), .cancel(let selection), .retry(let selection),
      .verify(let selection):
      member(selection)
    case .remove(let selection, let deletingFile):
      // The one key that a selection may have before this one.
      if case .matching(.all([])) = selection { member(selection) }
      member("deleteFile", deletingFile)
      if case .matching(.all([])) = selection { return }
      member(selection)
    case .move(let id, let place): members(of: place, id)
    case .update(let id, let update): members(of: update, id)
    }
  }

  private mutating func member(_ selection: DownloadIntent.Selection) {
    switch selection {
    case .one(let id): member("id", id.description)
    case .many(let ids): array("ids", ids) { $1.element($0.description) }
    case .matching(.all([])): member("all", true)
    case .matching(let condition): object("where") { $0.members(of: condition) }
    }
  }

  private mutating func members(of enqueue: DownloadIntent.Enqueue) {
    let description = enqueue.description
    if !description.headers.isEmpty { member(description.headers) }
    if let id = enqueue.id { member("id", id.description) }
    if let integrity = description.integrity { member("integrity", integrity.description) }
    if let length = description.expectedLength { member("length", length) }
    if !description.mirrors.isEmpty { array("mirrors", description.mirrors) { $1.element($0.shown) } }
    if enqueue.network != .inherit { member("network", enqueue.network.rawValue) }
    if enqueue.origin != .user { member("origin", enqueue.origin.rawValue) }
    if let path = description.path { member("path", path.description) }
    if enqueue.isPaused { member("paused", true) }
    if let podcast = description.podcast { member("podcast", podcast) }
    if enqueue.priority != .normal { member("priority", enqueue.priority.rawValue) }
    if let published = description.published { member("published", published) }
    if let record = enqueue.resume { member(record) }
    if let title = description.title { member("title", title) }
    member("url", enqueue.address.shown)
  }

  private mutating func members(of update: DownloadIntent.Update, _ id: DownloadID) {
    if let headers = update.headers { member(headers) }
    member("id", id.description)
    if let mirrors = update.mirrors { array("mirrors", mirrors) { $1.element($0.shown) } }
    if let network = update.network { member("network", network.rawValue) }
    if let podcast = update.podcast { member("podcast", podcast) }
    if let priority = update.priority { member("priority", priority.rawValue) }
    if let title = update.title { member("title", title) }
    if let address = update.address { member("url", address.shown) }
  }

  private mutating func members(of place: DownloadIntent.Place, _ id: DownloadID) {
    switch place {
    case .before(let anchor), .after(let anchor): member("anchor", anchor.description)
    case .top, .bottom: break
    }
    member("id", id.description)
    member("to", place.name)
  }

  private mutating func member(_ headers: [Header]) {
    object("headers") { members in
      var names: Set<String> = []
      for name in headers.map(\.name).sorted() where names.insert(name.lowercased()).inserted {
        members.member(named: name, Self.blank)
      }
    }
  }

  // MARK: Cleaning up, filters

  mutating func members(of request: CleanupRequest) {
    member("deep", request.isDeep)
    member("missing", request.missing.rawValue)
    member("mode", request.mode.rawValue)
    if let orphans = request.orphans { member("orphans", orphans.rawValue) }
  }

  mutating func members(of intent: FilterIntent) {
    switch intent {
    case .toggle(let filter): member("filter", filter.description)
    case .selectGroup(let group): member("group", group?.rawValue)
    case .setText(let text): member("text", text)
    case .clear: break
    case .save(let name), .apply(let name), .delete(let name): member("name", name)
    }
  }
}

extension DownloadIntent.Place {
  fileprivate var name: String {
    switch self {
    case .top: "top"
    case .bottom: "bottom"
    case .before: "before"
    case .after: "after"
    }
  }
}
