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

  /// What tells it from others of the same title: its podcast, where that is known, and its address.
  ///
  /// - Parameter feeds: The titles of feeds by their ids.
  fileprivate func particulars(_ feeds: [String: String]) -> [String] {
    switch self {
    case .download(let item): [item.podcast, item.url].compactMap(\.self)
    case .episode(let item): [item.feed.flatMap { feeds[$0] }, item.url].compactMap(\.self)
    case .feed(let item): [item.url].compactMap(\.self)
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

  /// The kinds in the singular, such as "download or feed".
  package var noun: String {
    let names = [(Self.downloads, "download"), (.episodes, "episode"), (.feeds, "feed")]
    let own = names.filter { contains($0.0) }.map(\.1)
    return own.isEmpty ? "thing" : own.listed("or")
  }
}

/// Why a selector names nothing that a command could take.
package enum SelectionFailure: Error, Hashable {
  case nothing(selector: String, kinds: SelectedKinds)
  /// Several have it in their titles, or as their URL; at most `LibraryFinder.shownCandidates` of them are listed. The
  /// titles of feeds are by their ids.
  case ambiguous(selector: String, candidates: [Selected], feeds: [String: String], count: Int)

  /// The lines for people.
  package var lines: [String] {
    switch self {
    case .nothing("", let kinds):
      return ["no \(kinds.noun) is named by an empty text; give an id, a URL, or a part of a title"]
    case .nothing(let selector, let kinds):
      // An address may have a password or a token, also one with a mistake in it; a title has neither.
      let shown = selector.contains(":/") ? selector.withoutCredentials : selector
      return ["there is no \(kinds.noun) \"\(shown)\""]
    case .ambiguous(let selector, let candidates, let feeds, let count):
      let shown = candidates.map { candidate in
        "  "
          + ([candidate.kind.noun, candidate.id, candidate.title] + candidate.particulars(feeds)).joined(
            separator: "  ")
      }
      let more = count > shown.count ? ["  … and \(count - shown.count) more"] : []
      guard let address = try? WebAddress(selector) else {
        return ["\"\(selector)\" is in several titles, and nothing was done; give more of it, or an id:"] + shown + more
      }
      if address.redacted != address.description {
        let reason = "URLs are shown without what may be secret in them, so that this one names none for sure"
        return ["\"\(address.redacted)\": \(reason), and nothing was done; give an id:"] + shown + more
      }
      return ["\"\(address.redacted)\" is the URL of several, and nothing was done; give an id:"] + shown + more
    }
  }
}
