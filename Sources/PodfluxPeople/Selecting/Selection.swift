import PodfluxClient
import PodfluxCore

/// What a selector has named.
package enum Selected: Hashable, Sendable {
  case download(DownloadItem)
  case episode(EpisodeItem)
  case feed(FeedItem)

  package var id: String {
    switch self {
    case .download(let item): item.id
    case .episode(let item): item.id
    case .feed(let item): item.id
    }
  }

  package var title: String {
    switch self {
    case .download(let item): item.name
    case .episode(let item): item.title ?? item.id
    case .feed(let item): item.title ?? item.id
    }
  }

  /// Which of the kinds it is.
  package var kind: SelectedKinds {
    switch self {
    case .download: .downloads
    case .episode: .episodes
    case .feed: .feeds
    }
  }
}

/// The kinds of things that a command takes.
package struct SelectedKinds: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  package static let downloads = Self(rawValue: 1)
  package static let episodes = Self(rawValue: 2)
  package static let feeds = Self(rawValue: 4)
  package static let all: Self = [.downloads, .episodes, .feeds]

  /// One of them, such as "download or feed".
  package var noun: String {
    let names = [(Self.downloads, "download"), (.episodes, "episode"), (.feeds, "feed")]
    let own = names.filter { contains($0.0) }.map(\.1)
    return own.isEmpty ? "thing" : own.listed("or")
  }
}

/// Why a selector names nothing that a command could take.
package enum SelectionFailure: Error, Hashable {
  case nothing(selector: String, kinds: SelectedKinds)
  /// Several have it in their titles; at most `LibraryFinder.shownCandidates` of them are listed.
  case ambiguous(selector: String, candidates: [Selected], count: Int)

  /// The lines for people.
  package var lines: [String] {
    switch self {
    case .nothing(let selector, let kinds):
      // An address may have a password or a token.
      let shown = (try? WebAddress(selector))?.redacted ?? selector
      return ["there is no \(kinds.noun) \"\(shown)\""]
    case .ambiguous(let selector, let candidates, let count):
      let shown = candidates.map { "  \($0.kind.noun)  \($0.id)  \($0.title)" }
      let more = count > shown.count ? ["  … and \(count - shown.count) more"] : []
      return ["\"\(selector)\" is in several titles, and nothing was done; give more of it, or an id:"] + shown + more
    }
  }
}
