/// What filters narrow. Each subject has its own active filters and its own saved sets.
///
/// ```swift
/// _ = try await podflux.dispatch(.filters(.setText("vienna"), over: .episodes))
/// ```
public enum FilterSubject: String, Hashable, Sendable, CaseIterable {
  case downloads, episodes
}

/// The traits of a subject by which filters show and count it.
package protocol FilterableTraits: Hashable, Sendable {
  static var subject: FilterSubject { get }
  /// Whether they are what a filter shows. A podcast is no trait: no filter of one is met by them.
  func meet(_ meaning: FilterMeaning) -> Bool
}

/// The conditions on a subject, as which queries apply filters.
package protocol FilterableCondition {
  static func all(_ conditions: [Self]) -> Self
  static func any(_ conditions: [Self]) -> Self
  /// What a filter shows. Nothing meets a filter on a trait that the subject does not have.
  init(_ meaning: FilterMeaning)
}

/// What a filter shows; it depends on podcast and traits only.
package enum FilterMeaning: Hashable, Sendable {
  /// Downloads in this state, or episodes with such a download.
  case state(DownloadState.Kind)
  /// Episodes that have no download.
  case withoutDownload
  case podcast(String)
  case media(MediaKind)
  /// Of this class of age or a younger one; the oldest class alone.
  case age(AgeClass)
  case size(SizeClass)
  case played(Bool)
  case favorite(Bool)
  case origin(Origin)
  case network(NetworkPolicy)
  case error(DownloadError.Code)
  case nothing
}

extension AgeClass {
  /// The classes that a filter on this one shows.
  fileprivate var shown: [AgeClass] {
    self == .older ? [.older] : AgeClass.allCases.filter { ($0.days ?? .max) <= (days ?? .max) }
  }
}

extension Traits: FilterableTraits {
  package static var subject: FilterSubject { .downloads }

  package func meet(_ meaning: FilterMeaning) -> Bool {
    switch meaning {
    case .state(let kind): self.kind == kind
    case .media(let media): self.media == media
    case .age(let age): age.shown.contains(self.age)
    case .size(let size): self.size == size
    case .origin(let origin): self.origin == origin
    case .network(let policy): network == policy
    case .error(let code): error == code
    case .withoutDownload, .podcast, .played, .favorite, .nothing: false
    }
  }
}

extension EpisodeTraits: FilterableTraits {
  package static var subject: FilterSubject { .episodes }

  package func meet(_ meaning: FilterMeaning) -> Bool {
    switch meaning {
    case .state(let kind): state == kind
    case .withoutDownload: state == nil
    case .media(let media): self.media == media
    case .age(let age): age.shown.contains(self.age)
    case .size(let size): self.size == size
    case .played(let value): isPlayed == value
    case .favorite(let value): isFavorite == value
    case .podcast, .origin, .network, .error, .nothing: false
    }
  }
}

extension Condition: FilterableCondition {
  package init(_ meaning: FilterMeaning) {
    switch meaning {
    case .state(let kind): self = .states([kind])
    case .podcast(let name): self = .podcasts([name])
    case .media(let media): self = .media([media])
    case .age(let age): self = .ages(age.shown)
    case .size(let size): self = .sizes([size])
    case .origin(let origin): self = .origins([origin])
    case .network(let policy): self = .networks([policy])
    case .error(let code): self = .errorCodes([code])
    case .withoutDownload, .played, .favorite, .nothing: self = .any([])
    }
  }
}

extension EpisodeCondition: FilterableCondition {
  package init(_ meaning: FilterMeaning) {
    switch meaning {
    case .state(let kind): self = .states([kind])
    case .withoutDownload: self = .not(.states(DownloadState.Kind.allCases))
    case .podcast(let name): self = .podcasts([name])
    case .media(let media): self = .media([media])
    case .age(let age): self = age.days.map { .newerThanDays(Int($0)) } ?? .olderThanDays(AgeClass.daysOfYear)
    case .size(let size):
      let known = size.bytes.map { EpisodeCondition.bytes(atLeast: $0.lowerBound, atMost: $0.upperBound) }
      self = known ?? .not(.bytes(atLeast: nil, atMost: nil))
    case .played(let value): self = .played(value)
    case .favorite(let value): self = .favorite(value)
    case .origin, .network, .error, .nothing: self = .any([])
    }
  }
}
