import PodfluxCore

/// A list of subscriptions as programs exchange it (opml.org/spec2.opml).
package struct OPMLDocument: Hashable, Sendable {
  /// A subscription.
  package struct Feed: Hashable, Sendable {
    package var address: WebAddress
    /// Plain text.
    package var title: String?
    /// The names of the groups around it, outermost first, as `OPMLGroup` writes them; nil outside of groups.
    package var group: String?

    package init(address: WebAddress, title: String? = nil, group: String? = nil) {
      self.address = address
      self.title = title
      self.group = group
    }
  }

  /// An outline with a URL that no feed can have, or that is not said to be a feed's.
  package struct Rejection: Hashable, Sendable {
    /// The URL's beginning, without user name, password, query and fragment.
    package var url: String
    /// Whether it is a URL that is neither http nor https.
    package var isUnsupportedScheme: Bool

    package init(url: String, isUnsupportedScheme: Bool) {
      self.url = url
      self.isUnsupportedScheme = isUnsupportedScheme
    }
  }

  package var title: String?
  /// Each feed once, in the order of the document: of several outlines for one feed the first.
  package var feeds: [Feed] = []
  /// The first rejections, at most `OPMLLimits.maximumRejections`.
  package var rejected: [Rejection] = []
  /// How many were rejected in all.
  package var rejectedCount = 0
  /// Whether its end is there: a document that was cut off may have had more feeds.
  package var isWhole = false
  /// Whether the document has more than `OPMLLimits` allow, so that feeds are missing.
  package var isCut = false

  package init() {}

  /// Overcast and Pocket Casts put all feeds into an outline that they call `feeds`: it is no group.
  mutating func dropWrapper() {
    let (wrapper, start) = ("feeds", "feeds/")
    guard feeds.allSatisfy({ $0.group == wrapper || $0.group?.hasPrefix(start) ?? false }) else { return }
    for index in feeds.indices {
      feeds[index].group = feeds[index].group.flatMap { $0 == wrapper ? nil : String($0.dropFirst(start.count)) }
    }
  }
}

/// Why a document is no list of subscriptions.
package enum OPMLError: Error, Hashable, Sendable {
  /// There is no element in it.
  case empty
  /// It is a feed itself.
  case feed
  /// It is a web page.
  case page
  /// It is anything else, or its outlines come after `FeedLimits.maximumBytesBeforeRoot`.
  case unknown
}

/// The limits of a list of subscriptions, beside those of tags and attributes (`FeedLimits`).
package enum OPMLLimits {
  /// The outlines that are read, groups included.
  package static let maximumOutlines = 100_000
  /// The groups within each other; deeper ones count as the deepest.
  package static let maximumDepth = 32
  /// The text of all feeds that is kept, in bytes of UTF-8.
  package static let maximumTextBytes = 32 << 20
  /// The longest title and the longest name of a group, in bytes; longer ones are cut.
  package static let maximumTitleBytes = 1024
  /// The longest path of groups, in bytes; a group that would make a longer one counts as the one around it.
  package static let maximumGroupBytes = 4096
  /// The rejections that are listed. All are counted.
  package static let maximumRejections = 1000
  /// The part of a rejected URL that is shown, in characters.
  package static let maximumRejectedCharacters = 200
}

/// The names of nested groups as one text: separated by `/`, with `\/` and `\\` for the two signs within a name.
package enum OPMLGroup {
  /// The text of some names, of which empty ones do not count; nil for none.
  package static func path(of names: [String]) -> String? {
    let parts = names.filter { !$0.isEmpty }.map { name in
      name.unicodeScalars.reduce(into: "") { part, scalar in
        if scalar == "/" || scalar == "\\" { part.unicodeScalars.append("\\") }
        part.unicodeScalars.append(scalar)
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  /// The names in a text, none of which is empty. A `\` before any other sign, or at the end, is itself.
  package static func names(of path: String) -> [String] {
    var (names, name) = ([String](), String.UnicodeScalarView())
    var scalars = path.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if scalar == "\\", let next = scalars.first, next == "/" || next == "\\" {
        name.append(next)
        scalars.removeFirst()
      } else if scalar == "/" {
        names.append(String(name))
        name.removeAll()
      } else {
        name.append(scalar)
      }
    }
    names.append(String(name))
    return names.filter { !$0.isEmpty }
  }
}
