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
    id = try json.required("id", JSONObject.string)
    feed = try json.string("feed")
    title = try json.string("title")
    published = try json.moment("published")
    seconds = try json.integer("seconds")
    let enclosure = try json.object("enclosure")
    url = try enclosure?.string("url")
    length = try enclosure?.integer("length")
    marks = Episode.Marks(
      isPlayed: try json.boolean("played") ?? false, isFavorite: try json.boolean("favorite") ?? false,
      isArchived: try json.boolean("archived") ?? false)
    isMissingFromFeed = try json.boolean("missingFromFeed") ?? false
    download = try json.string("download")
    state = try json.choice("state")
    verdict = try json.object("because").map { because throws(MalformedLine) in
      Verdict(outcome: try because.choice("outcome"), text: try because.string("text") ?? "")
    }
    self.json = json
  }
}
