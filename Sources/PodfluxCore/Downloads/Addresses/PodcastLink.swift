/// Links by which a browser, a page or a list hands a feed to a podcast program.
package enum PodcastLink {
  private static let schemes: Set<String> = ["feed", "itpc", "pcast", "podcast"]
  private static let longestScheme = 7

  /// The address in a link: `feed:https://…` is `https://…`, `pcast://…` is `http://…`. Any other text stays as it is.
  package static func address(in text: String) -> String {
    guard let colon = text.utf8.prefix(longestScheme + 1).firstIndex(of: UInt8(ascii: ":")),
      schemes.contains(text[..<colon].lowercased())
    else { return text }
    // By bytes: a colon and a combining accent are one Character.
    let rest = text.utf8[colon...].dropFirst()
    return (rest.starts(with: "//".utf8) ? "http:" : "") + String(Substring(rest))
  }
}
