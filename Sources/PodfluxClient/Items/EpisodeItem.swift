import Flux
import PodfluxCore
import WireProtocol

/// An episode as the engine shows it. What a query has not asked for is nil or false.
package struct EpisodeItem: ListItem, Hashable, Sendable {
  package let id: String
  package let feed: String?
  package let title: String?
  package let published: Timestamp?
  package let seconds: Int64?
  /// The address of its file.
  package let url: String?
  /// The length of its file that the feed claims.
  package let length: Int64?
  package let marks: Episode.Marks
  package let isMissingFromFeed: Bool
  /// The id of its download.
  package let download: String?
  /// The stored state of its download.
  package let state: DownloadState.Kind?
  /// What the feed's rules say of it, or have done; nil if they have no say.
  package let verdict: Verdict?
  package let json: JSONObject

  package struct Verdict: Hashable, Sendable {
    /// What rules have done or will do about the episode; nil for a value of a later engine.
    package let outcome: RuleVerdict.Outcome?
    /// Why, in one sentence without its full stop.
    package let text: String
  }

  package init(_ json: JSONObject) throws(MalformedLine) {
    let members = ItemMembers<EpisodeField>(json: json)
    id = try members.required(.id)
    feed = try members.string(.feed)
    title = try members.string(.title)
    published = try members.moment(.published)
    seconds = try members.integer(.seconds)
    let enclosure = try members.object(.enclosure)
    url = try enclosure?.string("url")
    length = try enclosure?.integer("length")
    marks = Episode.Marks(
      isPlayed: try members.boolean(.played) ?? false, isFavorite: try members.boolean(.favorite) ?? false,
      isArchived: try members.boolean(.archived) ?? false)
    isMissingFromFeed = try members.boolean(.missingFromFeed) ?? false
    download = try members.string(.download)
    state = try members.choice(.state)
    verdict = try members.object(.because).map { because throws(MalformedLine) in
      Verdict(outcome: try because.choice("outcome"), text: try because.string("text") ?? "")
    }
    self.json = json
  }
}
