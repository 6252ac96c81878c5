import PodfluxCore

/// Writes a list of subscriptions as gPodder, AntennaPod and Overcast read it (opml.org/spec2.opml): OPML 2.0, groups
/// as nested outlines, feeds with `type="rss"`.
///
/// The same feeds give the same text. Groups stand where their first feed stands.
package struct OPMLWriter: Sendable {
  /// A subscription to write.
  package struct Feed: Hashable, Sendable {
    package var address: WebAddress
    /// Nil for a feed that has no title yet: programs show its address.
    package var title: String?
    /// The podcast's web page.
    package var link: WebAddress?
    /// The names of the groups around it, as `OPMLGroup` writes them.
    package var group: String?

    package init(address: WebAddress, title: String? = nil, link: WebAddress? = nil, group: String? = nil) {
      self.address = address
      self.title = title
      self.link = link
      self.group = group
    }
  }

  /// The document's title.
  package var title: String
  /// Whether user names, passwords and tokens in URLs are written; without them some feeds cannot be fetched.
  package var includesSecrets: Bool

  package init(title: String, includesSecrets: Bool = false) {
    self.title = title
    self.includesSecrets = includesSecrets
  }

  /// The document with these feeds.
  package func text(of feeds: [Feed]) -> String {
    var root = Group()
    for feed in feeds {
      let names = OPMLGroup.names(of: feed.group ?? "").prefix(OPMLLimits.maximumDepth - 1)
      root.add(feed, at: names[...])
    }
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml version="2.0">
        <head>
          <title>\(Self.escaped(title))</title>
        </head>
        <body>

      """
    append(root, indentation: "    ", to: &text)
    text += "  </body>\n</opml>\n"
    return text
  }

  /// A group with its feeds and groups in their order.
  private struct Group {
    var entries: [Entry] = []
    private var places: [String: Int] = [:]

    enum Entry {
      case feed(Feed)
      case group(name: String, Group)
    }

    mutating func add(_ feed: Feed, at names: ArraySlice<String>) {
      guard let name = names.first else {
        entries.append(.feed(feed))
        return
      }
      let place = places[name] ?? entries.count
      if place == entries.count {
        places[name] = place
        entries.append(.group(name: name, Group()))
      }
      // The entry leaves its place while it changes, so that it is not copied.
      guard case .group(let name, var group) = entries[place] else { return }
      entries[place] = .group(name: name, Group())
      group.add(feed, at: names.dropFirst())
      entries[place] = .group(name: name, group)
    }
  }

  private func append(_ group: Group, indentation: String, to text: inout String) {
    for entry in group.entries {
      switch entry {
      case .feed(let feed): text += indentation + outline(of: feed) + "\n"
      case .group(let name, let group):
        let name = Self.escaped(name)
        text += indentation + "<outline text=\"\(name)\" title=\"\(name)\">\n"
        append(group, indentation: indentation + "  ", to: &text)
        text += indentation + "</outline>\n"
      }
    }
  }

  private func outline(of feed: Feed) -> String {
    let address = shown(feed.address)
    let title = Self.escaped(feed.title ?? address)
    let link = feed.link.map { " htmlUrl=\"\(Self.escaped(shown($0)))\"" } ?? ""
    return "<outline type=\"rss\" text=\"\(title)\" title=\"\(title)\" xmlUrl=\"\(Self.escaped(address))\"\(link)/>"
  }

  private func shown(_ address: WebAddress) -> String {
    includesSecrets ? address.description : address.redacted
  }

  /// Text for an element or an attribute in double quotes. What no XML document may contain (XML 1.0 section 2.2) is
  /// left out, and blanks that a parser would change are written as references.
  static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "\t", "\n", "\r": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
      case "\u{FFFE}", "\u{FFFF}": break
      case _ where scalar.value < 0x20: break
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
