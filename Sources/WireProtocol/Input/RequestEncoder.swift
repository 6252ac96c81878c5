import PodfluxCore

/// Writes the lines that a client sends, each with its line feed: what `LineDecoder` reads.
///
/// They have the secrets of addresses and headers, so that they are for an engine only.
package struct RequestEncoder: Sendable {
  private var writer = JSONWriter(keepsOffsets: true, keepsSecrets: true)

  /// Makes an encoder that has written nothing.
  package init() {}

  /// The lines written since the buffer was last emptied.
  package var bytes: [UInt8] { writer.bytes }

  /// Forgets the lines that have been written.
  package mutating func removeAll() {
    writer.removeAll()
  }

  /// Writes a request.
  package mutating func append(_ request: Request, id: Int64) {
    writer.object { line in
      line.object("meta") { $0.member("id", id) }
      line.object("payload") { $0.payload(of: request) }
      line.member("type", line.lineType)
    }
    writer.endLine()
  }
}

extension JSONWriter {
  /// The members of a request's payload; sets `lineType`.
  fileprivate mutating func payload(of request: Request) {
    switch request {
    case .intent(let intent): _ = intent.exchanged(with: &self)
    case .query(let query): payload(of: query)
    case .resume: lineType = "engine/resume"
    }
  }

  private mutating func payload(of query: Query) {
    switch query {
    case .snapshot(let query):
      lineType = "snapshot"
      lists(of: query)
      stores(of: query)
    case .observe(let wish):
      lineType = "observe"
      member("actions", wish.includesActions)
      lists(of: wish.state)
      member("interval", wish.interval)
      stores(of: wish.state)
    case .unobserve: lineType = "unobserve"
    case .resumeData(let id):
      lineType = "downloads/resumeData"
      member("id", id.description)
    case .exportFeeds(let includesSecrets):
      lineType = "feeds/export"
      member("secrets", includesSecrets)
    case .preview(let wish):
      lineType = "feeds/preview"
      var wish = wish
      optional("headers", &wish.headers, .headers, omitting: [])
      optional("rules", &wish.rules, .object, omitting: .none)
      required("url", &wish.address, .address)
      optional("userAgent", &wish.userAgent, .userAgent)
    case .planRules(let query):
      lineType = "rules/plan"
      if let after = query.after { member("after", after.text) }
      member("id", query.feed.description)
      member("limit", query.limit)
      member(rules: query.rules)
    }
  }

  private mutating func stores(of query: SnapshotQuery) {
    array("stores", query.stores.map(\.rawValue).sorted()) { $1.element($0) }
  }

  /// The pages of the lists that are asked for.
  private mutating func lists(of query: SnapshotQuery) {
    if query.stores.contains(.cleanup) {
      object("cleanup") { page in
        if let after = query.stepsPage.after { page.member("after", after.text) }
        page.member("limit", query.stepsPage.limit)
      }
    }
    if query.stores.contains(.downloads) { object("downloads") { $0.members(of: query.downloads) } }
    if query.stores.contains(.episodes) { object("episodes") { $0.members(of: query.episodes) } }
    if query.stores.contains(.feeds) { object("feeds") { $0.members(of: query.feeds) } }
  }

  private mutating func members(of query: DownloadsQuery) {
    if let after = query.after { member("after", after.text) }
    members(showing: query.fields)
    member("limit", query.limit)
    member("sort", query.order.text)
    member("unfiltered", query.isUnfiltered)
    object("where") { $0.members(of: query.condition) }
  }

  private mutating func members(of query: EpisodesQuery) {
    if let after = query.after { member("after", after.text) }
    members(showing: query.fields)
    member("limit", query.limit)
    member("sort", query.order.text)
    member("unfiltered", query.isUnfiltered)
    object("where") { $0.members(of: query.condition) }
  }

  private mutating func members(of query: FeedsQuery) {
    if let after = query.after { member("after", after.text) }
    members(showing: query.fields)
    member("limit", query.limit)
    member("sort", query.order.text)
    object("where") { condition in
      if let groups = query.groups { condition.array("group", groups) { $1.element($0) } }
      if let ids = query.ids { condition.array("id", ids) { $1.element($0.description) } }
    }
  }

  private mutating func members<Name: RawRepresentable<String>>(showing fields: Set<Name>?) {
    guard let fields else { return }
    array("fields", fields.map(\.rawValue).sorted()) { $1.element($0) }
  }
}
