/// A filter's name, such as `state:failed`: its group and its value.
///
/// ```swift
/// guard let filter = FilterID("state:failed") else { return }
/// _ = try await podflux.dispatch(.filters(.toggle(filter)))
/// ```
public struct FilterID: Hashable, Sendable, CustomStringConvertible {
  /// The longest value, in bytes: that of a podcast's name.
  public static let maximumValueBytes = 1024

  public var group: FilterGroup.ID
  /// The value within the group.
  public var value: String

  /// Parses a name; nil if there is no such filter.
  public init?(_ text: String) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      let group = FilterGroup.ID(rawValue: String(text[..<colon]))
    else { return nil }
    self.init(group: group, value: String(text[text.utf8.index(after: colon)...]))
  }

  /// Nil if there is no such filter.
  public init?(group: FilterGroup.ID, value: String) {
    guard FilterCatalogue.filter(group, value) != nil else { return nil }
    (self.group, self.value) = (group, value)
  }

  fileprivate init(unchecked group: FilterGroup.ID, _ value: String) {
    (self.group, self.value) = (group, value)
  }

  /// The name as clients write it.
  public var description: String { "\(group.rawValue):\(value)" }
}

/// A group of filters. Active filters of one group widen each other (or), groups narrow each other (and).
///
/// A program sees groups as `FiltersSnapshot.Group`, with counts:
///
/// ```swift
/// for group in filters.downloads.groups where group.id == FilterGroup.ID.podcast { print(group.title) }
/// ```
public struct FilterGroup: Hashable, Sendable {
  /// The groups' names, in display order.
  ///
  /// Use: `filters.downloads.groups.first?.id`.
  public enum ID: String, Hashable, Sendable, CaseIterable {
    case state, podcast, media, time, size, played, favorite, origin, network, error, everything
  }

  package var id: ID
  /// The title for users.
  package var title: String
  /// Its filters, in display order; the podcasts' group has one for each podcast.
  package var filters: [Filter]
}

/// One filter of a group, with the title by which a view shows it.
///
/// Use: `filters.downloads.groups.first?.filters.first?.filter`.
public struct Filter: Hashable, Sendable {
  public var id: FilterID
  /// The title for users.
  public var title: String
  package var meaning: FilterMeaning
}

/// The catalogue of all filters. A new one is one more value here.
package enum FilterCatalogue {
  /// The groups of a subject, in display order.
  package static func groups(over subject: FilterSubject = .downloads) -> [FilterGroup] {
    switch subject {
    case .downloads: [downloadState, podcasts, media, time, size, origin, network, error, everything]
    case .episodes: [episodeState, podcasts, media, time, size, played, favorite]
    }
  }

  /// The filter of a name; nil if no subject has one. Every podcast's name has one; a damaged database may contain
  /// names that cannot be one, with control characters.
  package static func filter(_ group: FilterGroup.ID, _ value: String) -> Filter? {
    guard group != .podcast else {
      guard !value.isEmpty, value.utf8.count <= FilterID.maximumValueBytes,
        !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      else { return nil }
      return Filter(id: FilterID(unchecked: .podcast, value), title: value, meaning: .podcast(value))
    }
    return byID[FilterID(unchecked: group, value)]
  }

  package static func has(_ id: FilterID, over subject: FilterSubject) -> Bool {
    groups(over: subject).contains { group in
      group.id == id.group && (group.id == .podcast || group.filters.contains { $0.id == id })
    }
  }

  private static let byID = Dictionary(
    FilterSubject.allCases.flatMap { groups(over: $0) }.flatMap(\.filters).map { ($0.id, $0) }
  ) { first, _ in first }

  // MARK: Groups

  private static let downloadState = group(.state, "State", DownloadState.Kind.allCases, state)
  private static let episodeState = group(.state, "State", [nil] + DownloadState.Kind.allCases) { kind in
    kind.map(state) ?? ("none", "Not downloaded", .withoutDownload)
  }
  /// Its filters are those of the podcasts that there are.
  private static let podcasts = FilterGroup(id: .podcast, title: "Podcast", filters: [])
  private static let media = group(.media, "Media", MediaKind.allCases) {
    ($0.rawValue, $0.rawValue.capitalizedFirst, .media($0))
  }
  private static let time = group(.time, "Published", AgeClass.allCases) { (timeValue($0), timeTitle($0), .age($0)) }
  private static let size = group(.size, "Size", SizeClass.allCases) { ($0.rawValue, sizeTitle($0), .size($0)) }
  private static let played = group(.played, "Played", [true, false]) {
    (markValue($0), $0 ? "Played" : "Not played", .played($0))
  }
  private static let favorite = group(.favorite, "Favorite", [true, false]) {
    (markValue($0), $0 ? "Favorite" : "No favorite", .favorite($0))
  }
  private static let origin = group(.origin, "Asked for by", Origin.allCases) {
    ($0.rawValue, originTitle($0), .origin($0))
  }
  private static let network = group(.network, "Network", NetworkPolicy.allCases) {
    ($0.rawValue, networkTitle($0), .network($0))
  }
  private static let error = group(.error, "Error", DownloadError.Code.allCases) {
    ($0.rawValue, errorTitle($0), .error($0))
  }
  private static let everything = group(.everything, "Everything", ["hidden"]) { ($0, "Hidden", .nothing) }

  private static func group<Value>(
    _ id: FilterGroup.ID, _ title: String, _ values: [Value], _ describe: (Value) -> (String, String, FilterMeaning)
  ) -> FilterGroup {
    FilterGroup(
      id: id, title: title,
      filters: values.map { value in
        let (name, title, meaning) = describe(value)
        return Filter(id: FilterID(unchecked: id, name), title: title, meaning: meaning)
      })
  }

  private static func state(_ kind: DownloadState.Kind) -> (String, String, FilterMeaning) {
    (kind.rawValue, kind.rawValue.capitalizedFirst, .state(kind))
  }

  private static func markValue(_ value: Bool) -> String { value ? "yes" : "no" }

  private static func timeValue(_ age: AgeClass) -> String { age == .day ? "today" : age.rawValue }

  private static func timeTitle(_ age: AgeClass) -> String {
    switch age {
    case .day: "Today"
    case .week: "Last 7 days"
    case .month: "Last 30 days"
    case .year: "Last 365 days"
    case .older: "Older"
    }
  }

  private static func sizeTitle(_ size: SizeClass) -> String {
    switch size {
    case .unknown: "Unknown"
    case .small: "Below 25 MiB"
    case .medium: "25 to 100 MiB"
    case .large: "100 to 500 MiB"
    case .huge: "500 MiB and more"
    }
  }

  private static func originTitle(_ origin: Origin) -> String {
    switch origin {
    case .user: "A person"
    case .auto: "A rule"
    }
  }

  private static func networkTitle(_ policy: NetworkPolicy) -> String {
    switch policy {
    case .inherit: "As its podcast"
    case .unmetered: "Wi-Fi only"
    case .any: "Any"
    }
  }

  private static func errorTitle(_ code: DownloadError.Code) -> String {
    code.rawValue.replacing("_", with: " ").capitalizedFirst
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
