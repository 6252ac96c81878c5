import PodfluxCore

extension Field {
  func filter() throws(Refusal) -> FilterID {
    let text = try string()
    guard let filter = FilterID(text) else { throw mustBe(Self.filters(like: text)) }
    return filter
  }

  /// What there is in the group that a client has named, or else which groups there are.
  private static func filters(like text: String) -> String {
    let name = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)[0]
    let all = FilterSubject.allCases.reversed().flatMap { FilterCatalogue.groups(over: $0) }
    guard let group = all.first(where: { $0.id.rawValue == name }) else {
      let groups = FilterGroup.ID.allCases.map(\.rawValue).joined(separator: ", ")
      return "a filter such as state:failed, of one of the groups \(groups)"
    }
    guard group.id != .podcast else {
      return "podcast: and a name of 1 to \(FilterID.maximumValueBytes) bytes without control characters"
    }
    return group.id.rawValue + ": and one of " + group.filters.map(\.id.value).joined(separator: ", ")
  }
}
