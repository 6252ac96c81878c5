import PodfluxCore

/// What clients ask (the article Protocol): the line's type, one sentence about it, and its members in the order of the
/// alphabet.
extension Query {
  func exchanged<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) -> Self {
    switch self {
    case .snapshot(var query):
      coder.type("snapshot", "Asks for the state at one moment.")
      try query.exchange(with: &coder)
      return .snapshot(query)
    case .observe(var observation):
      coder.type("observe", "Asks for the state and for each change of it.")
      try observation.exchange(with: &coder)
      return .observe(observation)
    case .unobserve:
      coder.type("unobserve", "Ends an observation.")
      return self
    case .resumeData(var id):
      coder.type("downloads/resumeData", "Asks for what another library needs to resume a download.")
      try coder.required("id", &id, .downloadID)
      return .resumeData(id)
    case .exportFeeds(var includesSecrets):
      coder.type("feeds/export", "Asks for all subscriptions as OPML.")
      try coder.optional("secrets", &includesSecrets, .boolean, standard: false)
      return .exportFeeds(includingSecrets: includesSecrets)
    case .preview(var wish):
      coder.type("feeds/preview", "Asks what a subscription would bring; nothing is kept.")
      try coder.optional("headers", &wish.headers, .headers, omitting: [])
      try coder.optional("rules", &wish.rules, .object, omitting: .none)
      try coder.required("url", &wish.address, .feedAddress)
      try coder.optional("userAgent", &wish.userAgent, .userAgent)
      return .preview(wish)
    case .planRules(var query):
      coder.type("rules/plan", "Asks what rules would do about a feed's episodes; nothing changes.")
      try coder.optional("after", &query.after, .cursor)
      try coder.required("id", &query.feed, .feedID)
      try coder.optional("limit", &query.limit, .pageLimit, standard: PageRequest().limit)
      try coder.required("rules", &query.rules, .object)
      return .planRules(query)
    }
  }
}

extension SnapshotQuery: FormedPayload {
  static let template = Self()
  static let keys = templateKeys(naming: ["stores", "downloads", "feeds", "episodes"])

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("cleanup", &stepsPage, .object, omitting: .init())
    try coder.optional("downloads", &downloads, .object, omitting: .init())
    try coder.optional("episodes", &episodes, .object, omitting: .init())
    try coder.optional("feeds", &feeds, .object, omitting: .init())
    try coder.optional("stores", &stores, .stores, standard: Self.template.stores)
  }
}

extension Observation {
  /// The members of a snapshot's query, where no list begins behind its beginning or is shown without ids, and more.
  fileprivate mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    let standard = Self()
    try coder.optional("actions", &includesActions, .boolean, standard: standard.includesActions)
    try coder.optional("cleanup", &state.stepsPage, .object, omitting: .init())
    try coder.optional("downloads", &state.downloads, .observedList, omitting: .init())
    try coder.optional("episodes", &state.episodes, .observedList, omitting: .init())
    try coder.optional("feeds", &state.feeds, .observedList, omitting: .init())
    try coder.optional("interval", &interval, .number(in: Self.intervals), standard: standard.interval)
    try coder.optional("stores", &state.stores, .stores, standard: standard.state.stores)
  }
}

extension PageRequest: FormedPayload {
  static let template = Self()
  static let keys = templateKeys(naming: ["limit"])

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("after", &after, .cursor)
    try coder.optional("limit", &limit, .pageLimit, standard: Self.template.limit)
  }
}

// MARK: - Values

extension ValueForm<Set<StoreName>> {
  /// The stores that a query names, of which each may be there twice.
  fileprivate static var stores: Self { names("names of stores", atMost: 16) }
}

extension ValueForm<Int> {
  /// How many items a page has at most.
  static var pageLimit: Self { whole(in: 1...PageRequest.maximumLimit) }
}

extension ValueForm<Double> {
  fileprivate static func number(in range: ClosedRange<Double>) -> Self {
    Self(
      "a number from \(range.lowerBound) to \(range.upperBound)", .number(range),
      read: { f throws(Refusal) in try f.number(in: range) }, write: { $1.value($0) })
  }
}

extension ValueForm {
  /// Names of an enumeration; what is named twice is the same as if it were named once.
  static func names<Name: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
    _ things: String, atMost limit: Int
  ) -> Self where Value == Set<Name> {
    Self(
      "at most \(limit) \(things)", .array(of: .choice(of: Name.allCases), count: 0...limit),
      read: { f throws(Refusal) in
        Set(try f.elements(atMost: limit) { e throws(Refusal) in try e.choice() as Name })
      },
      write: { names, writer in writer.elements(names.map(\.rawValue).sorted()) { $1.element($0) } })
  }
}
