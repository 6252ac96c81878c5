import Flux

/// What a sidecar of the kind `info` says of a download, for programs that read a library without its database.
package struct SidecarInfo: Hashable, Sendable {
  /// The text of the file: one object of JSON, with a member for each fact that is known. Addresses are without user
  /// names, passwords and queries, which may be secrets.
  package let text: String

  /// Says what the rows know.
  package init(of download: Download, _ file: PublishedFile, episode: Episode?, feed: Feed?) {
    var members: [(String, String?)] = []
    let content = episode?.content
    func add(_ name: String, _ text: String?) { members.append((name, text.map(JSONSyntax.string))) }
    func add(_ name: String, _ number: Int64?) { members.append((name, number.map { String($0) })) }
    add("id", download.id.description)
    add("title", content?.title ?? download.description.title)
    add("podcast", download.description.podcast ?? feed?.shownTitle)
    add("author", feed?.podcast?.author)
    add("language", feed?.podcast?.language)
    add("published", (content?.published ?? download.description.published)?.moment.internetText)
    add("guid", content?.guid.map(SecretParts.removed))
    add("season", content?.season)
    add("episode", content?.number)
    add("episodeType", content?.kind?.rawValue)
    add("durationSeconds", content?.seconds)
    add("url", download.address.withoutQuery)
    add("link", content?.link?.withoutQuery)
    add("feed", feed?.address.withoutQuery)
    add("podcastGuid", feed?.podcast?.guid.map(SecretParts.removed))
    add("downloaded", download.dates.finished?.internetText)
    add("bytes", file.length)
    add("sha256", file.sha256)
    let lines = members.compactMap { name, value in value.map { "  \(JSONSyntax.string(name)): \($0)" } }
    text = "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }
}

extension WebAddress {
  /// The URL without user name, password, query and fragment.
  fileprivate var withoutQuery: String { String(Substring(redacted.utf8.prefix { $0 != 0x3F && $0 != 0x23 })) }
}

extension Timestamp {
  /// The moment as lines have it (RFC 3339).
  fileprivate var internetText: String {
    var bytes: [UInt8] = []
    InternetDate.append(self, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
