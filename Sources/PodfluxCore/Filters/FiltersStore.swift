import Flux

/// The filters: which of them are active. Readers of downloads and episodes work out what they show.
package struct FiltersStore: DomainStore {
  /// The parts of other stores that this store reads.
  package struct Context: Sendable {
    /// How local clocks go.
    var localTime: LocalTime
  }

  /// The selected filters of both subjects, as the table has them.
  package private(set) var states: FilterStates
  /// The local day from which ages are counted; nil before the first turn.
  package private(set) var today: LocalDay?
  /// When the local day ends and ages are counted anew; nil before the first turn.
  package private(set) var nextMoment: Timestamp?

  /// Makes the store with what its table holds.
  package init(states: FilterStates = .init()) {
    self.states = states
  }

  /// Changes what is active, or saved.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    guard case .intent(.filters(let intent, let subject)) = action else { return nil }
    var changed = states[subject]
    try intent.check(over: subject)
    try changed.apply(intent)
    guard changed != states[subject] else { return .done }
    try turn.tables.filters.save(changed, over: subject)
    states[subject] = changed
    return .done
  }

  /// Lets downloads and episodes grow older when a day has begun, or clocks have been put forward or back. Cost: those
  /// that come into another class of age.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    let localTime = context.localTime
    let day = localTime.day(at: turn.now)
    guard day != today else { return }
    nextMoment = localTime.nextDay(behind: turn.now)
    try turn.tables.filters.turn(to: day)
    today = day
  }
}

extension FiltersStore.Context {
  /// Copies what this context has of the stores.
  init(_ stores: borrowing Stores) { localTime = stores.network.state.localTime }
}

extension FilterIntent {
  /// Refuses what a subject does not have.
  package func check(over subject: FilterSubject) throws(Refusal) {
    let groups = FilterCatalogue.groups(over: subject)
    let (isKnown, name) =
      switch self {
      case .toggle(let filter): (FilterCatalogue.has(filter, over: subject), "filter")
      case .selectGroup(let group?): (groups.contains { $0.id == group }, "group")
      case .selectGroup(nil), .setText, .clear, .save, .apply, .delete: (true, "")
      }
    guard !isKnown else { return }
    throw Refusal(
      .invalidValue,
      "there is no such \(name) over \(subject.rawValue); the groups there are "
        + groups.map(\.id.rawValue).joined(separator: ", "), path: "payload.\(name)")
  }
}

extension FiltersState {
  fileprivate mutating func apply(_ intent: FilterIntent) throws(Refusal) {
    switch intent {
    case .toggle(let filter): try toggle(filter)
    case .selectGroup(let group): selectedGroup = group
    case .setText(let text): try search(text)
    case .clear: selection = .init()
    case .save(let name): try save(name)
    case .apply(let name): selection = try saved(name).selection
    case .delete(let name):
      let set = try saved(name)
      saved.removeAll { $0 == set }
    }
  }

  private mutating func search(_ text: String) throws(Refusal) {
    guard text.utf8.count <= Limits.textBytes else {
      throw Refusal(
        .invalidValue, "the text is longer than \(Limits.textBytes) bytes; give a shorter one", path: "payload.text")
    }
    selection.text = text
  }

  private mutating func toggle(_ filter: FilterID) throws(Refusal) {
    if let index = selection.active.firstIndex(of: filter) {
      selection.active.remove(at: index)
    } else {
      guard selection.active.count < Limits.active else {
        throw Refusal(
          .limitExceeded, "\(Limits.active) filters are active; toggle one of them first, or clear them",
          path: "payload.filter")
      }
      selection.active.append(filter)
    }
  }

  private mutating func save(_ name: String) throws(Refusal) {
    guard (1...Limits.nameBytes).contains(name.utf8.count) else {
      throw Refusal(.invalidValue, "a name has 1 to \(Limits.nameBytes) bytes; give such a one", path: "payload.name")
    }
    saved.removeAll { $0.name == name }
    guard saved.count < Limits.saved else {
      throw Refusal(.limitExceeded, "\(Limits.saved) sets are saved; delete one of them first", path: "payload.name")
    }
    let place = saved.firstIndex { $0.name > name } ?? saved.endIndex
    saved.insert(SavedFilters(name: name, selection: selection), at: place)
  }

  private func saved(_ name: String) throws(Refusal) -> SavedFilters {
    guard let set = saved.first(where: { $0.name == name }) else {
      throw Refusal(
        .notFound, "no filters are saved under this name; the names are those in \"saved\" of the filters",
        path: "payload.name")
    }
    return set
  }
}
