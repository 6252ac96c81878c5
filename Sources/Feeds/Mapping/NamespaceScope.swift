/// The namespaces in force, reduced to the prefixes by which they are known.
///
/// Publishers declare namespaces with a wrong address, in another case, or not at all. An address that is known
/// decides, also behind another prefix; else the prefix decides.
struct NamespaceScope: Sendable {
  private var declarations: [(prefix: String, known: String, depth: Int)] = []
  /// The tags of the names that occurred while the same declarations were in force.
  private var tags = TagCache()

  /// Takes a declaration of an element at a depth.
  mutating func declare(prefix: String, address: String, depth: Int, isRoot: Bool) {
    guard declarations.count < FeedLimits.maximumNamespaces else { return }
    let known = Self.knownPrefix(address: address, prefix: prefix)
    // An RSS document whose default namespace is another one is RSS nevertheless.
    if prefix.isEmpty, isRoot, known != "" { return }
    declarations.append((prefix, known, depth))
    tags.removeAll()
  }

  /// Forgets the declarations of elements at a depth or deeper.
  mutating func leave(depth: Int) {
    let staying = declarations.lastIndex { $0.depth < depth }.map { $0 + 1 } ?? 0
    guard staying < declarations.count else { return }
    declarations.removeSubrange(staying...)
    tags.removeAll()
  }

  /// The element with a name as it is written; nil for one that is not read.
  ///
  /// - Parameter hash: The name's `shortHash`.
  mutating func tag(named name: Span<UInt8>, hash: UInt8) -> FeedTag? {
    if let tag = tags.tag(named: name, hash: hash) { return tag }
    let tag = findTag(named: String(name, 0..<name.count))
    tags.insert(tag, named: name, hash: hash)
    return tag
  }

  private func findTag(named name: String) -> FeedTag? {
    let bytes = name.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      let local = name.lowercased()
      // Atom without its namespace: no other dialect has such a root, and its children follow it.
      if local == "feed" { return .atomFeed }
      let known = known(prefix: "")
      return FeedTag(name: known.isEmpty ? local : known + ":" + local)
    }
    let known = known(prefix: String(name[..<colon]))
    let local = name[bytes.index(after: colon)...].lowercased()
    return FeedTag(name: known.isEmpty ? local : known + ":" + local)
  }

  /// Whether elements without a prefix are Atom's.
  private func known(prefix: String) -> String {
    if let declaration = declarations.last(where: { $0.prefix == prefix }) { return declaration.known }
    return prefix.isEmpty ? "" : prefix.lowercased()
  }

  private static func knownPrefix(address: String, prefix: String) -> String {
    var key = address.lowercased()[...]
    for scheme in ["http://", "https://"] where key.hasPrefix(scheme) { key = key.dropFirst(scheme.count) }
    if key.hasPrefix("www.") { key = key.dropFirst(4) }
    while key.last == "/" || key.last == "#" { key.removeLast() }
    if let known = addresses[String(key)] { return known }
    if key.hasPrefix("itunes.com/dtds/") { return "itunes" }
    if key.contains("podcast-namespace") || key.hasPrefix("podcastindex.org/namespace") { return "podcast" }
    return prefix.isEmpty ? "" : prefix.lowercased()
  }

  private static let addresses = [
    "w3.org/2005/atom": "atom", "purl.org/atom/ns": "atom", "purl.org/rss/1.0": "",
    "my.netscape.com/rdf/simple/0.9": "",
    "channel.netscape.com/rdf/simple/0.9": "", "backend.userland.com/rss2": "", "blogs.law.harvard.edu/tech/rss": "",
    "w3.org/1999/02/22-rdf-syntax-ns": "rdf", "purl.org/rss/1.0/modules/content": "content",
    "purl.org/dc/elements/1.1": "dc", "purl.org/dc/terms": "dcterms", "search.yahoo.com/mrss": "media",
    "purl.org/rss/1.0/modules/syndication": "sy", "purl.org/syndication/history/1.0": "fh",
    "google.com/schemas/play-podcasts/1.0": "googleplay", "purl.oclc.org/net/rss_2.0/enc": "enc",
    // XHTML in an entry must not be taken for RSS, and a page has no namespace that matters.
    "w3.org/1999/xhtml": "xhtml",
  ]
}
