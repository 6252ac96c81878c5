/// What publishers and hosts put into an enclosure's query without naming another file.
enum TrackingParameter {
  /// A path with query and fragment, without the known parameters. The others keep their order.
  static func removed(from path: ArraySlice<UInt8>, host: [UInt8]) -> ArraySlice<UInt8> {
    guard let mark = path.firstIndex(of: UInt8(ascii: "?")) else { return path }
    let query = path[(mark + 1)...].prefix { $0 != UInt8(ascii: "#") }
    let parts = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let names = ofAnyHost + names(of: host)
    let kept = parts.filter { part in
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      return !names.contains { $0.elementsEqual(name) }
    }
    guard kept.count < parts.count else { return path }
    let rest = kept.isEmpty ? [] : [UInt8(ascii: "?")] + kept.joined(separator: [UInt8(ascii: "&")])
    return path[..<mark] + rest + path[query.endIndex...]
  }

  private static func names(of host: [UInt8]) -> [[UInt8]] {
    ofHosts.first { entry in
      guard host.count > entry.host.count else { return host == entry.host }
      return host.suffix(entry.host.count + 1).elementsEqual([UInt8(ascii: ".")] + entry.host)
    }?.names ?? []
  }

  /// Of campaigns and clicks, at any host.
  private static let ofAnyHost = [
    "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "utm_id", "fbclid", "gclid",
  ].map { Array($0.utf8) }

  /// Of hosts whose paths identify the file, by the host or its parent domain: by which feed it was found, and when the
  /// file was last changed.
  private static let ofHosts: [(host: [UInt8], names: [[UInt8]])] = [
    ("libsyn.com", ["dest-id"]),
    ("megaphone.fm", ["updated"]),
    ("audioboom.com", ["modified", "sid", "source"]),
    ("simplecastaudio.com", ["aid", "feed", "awCollectionId", "awEpisodeId"]),
    ("omny.fm", ["in_playlist"]),
  ].map { entry in (Array(entry.0.utf8), entry.1.map { Array($0.utf8) }) }
}
