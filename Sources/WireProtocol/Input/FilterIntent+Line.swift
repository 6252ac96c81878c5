import PodfluxCore

/// What clients want of the filters (the article Protocol).
extension FilterIntent {
  static func toggle(_ payload: JSONObject) throws(Refusal) -> Self {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["filter"])
    return .toggle(try fields.required("filter").filter())
  }

  /// That no group is open has to be said: a payload without a group is a mistake.
  static func selectGroup(_ payload: JSONObject) throws(Refusal) -> Self {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["group"])
    let group = try fields.required("group")
    return .selectGroup(group.value == .null ? nil : try group.choice())
  }

  static func setText(_ payload: JSONObject) throws(Refusal) -> Self {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["text"])
    return .setText(try fields.required("text").text(ofBytes: 0...FiltersState.Limits.textBytes))
  }

  static func clear(_ payload: JSONObject) throws(Refusal) -> Self {
    _ = try Fields(payload, at: Request.payloadPath, knowing: [])
    return .clear
  }

  /// The name of a saved set.
  static func name(_ payload: JSONObject) throws(Refusal) -> String {
    let fields = try Fields(payload, at: Request.payloadPath, knowing: ["name"])
    return try fields.required("name").text(ofBytes: 1...FiltersState.Limits.nameBytes)
  }
}

extension Field {
  fileprivate func filter() throws(Refusal) -> FilterID {
    let text = try string()
    guard let filter = FilterID(text), !text.hasControlCharacters else { throw mustBe(Self.filters(like: text)) }
    return filter
  }

  /// What there is in the group that a client has named, or else which groups there are.
  private static func filters(like text: String) -> String {
    let name = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)[0]
    guard let group = FilterCatalogue.groups.first(where: { $0.id.rawValue == name }) else {
      let groups = FilterGroup.ID.allCases.map(\.rawValue).joined(separator: ", ")
      return "a filter such as state:failed, of one of the groups \(groups)"
    }
    guard group.id != .podcast else {
      return "podcast: and a name of 1 to \(FilterID.maximumValueBytes) bytes without control characters"
    }
    return group.id.rawValue + ": and one of " + group.filters.map(\.id.value).joined(separator: ", ")
  }
}
