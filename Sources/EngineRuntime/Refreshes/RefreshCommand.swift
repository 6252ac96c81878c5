import PodfluxCore

/// An event that the shell hands to a refresh.
package enum RefreshEvent: Sendable {
  /// The operation has begun.
  case begin
  /// The head of the final response has come.
  case head(ResponseHead)
  /// A piece of the body has come.
  case body([UInt8])
  case exchangeEnded(Result<ExchangeSummary, ExchangeFailure>)
  /// The last report is committed.
  case proceed
  /// The refresh is to end.
  case stop
}

/// A command that a refresh gives its shell.
package enum RefreshCommand: Sendable {
  /// Begin an exchange with a host as soon as there is a slot for it. There is no other.
  case startExchange(HTTPRequest, host: String)
  /// End the exchange, also one that waits for its slot; `exchangeEnded` comes all the same.
  case cancelExchange
  /// Post this.
  case report(RefreshReport)
  /// Post this; the refresh has ended.
  case end(RefreshReport)
}

/// What a refresh reads of the library.
package protocol EpisodeReader {
  /// What tells the episodes of a feed from others, in the order in which they were added.
  ///
  /// - Parameter withNotes: Whether the hashes of their notes are wanted.
  func episodeTraces(of feed: Feed.Key, withNotes: Bool) throws -> [EpisodeTraces]

  /// The subscription that has an address, now or before a move; nil if there is none.
  func feed(at address: WebAddress) throws -> FeedID?
}

extension ResponseHead {
  /// What a refresh wants to follow this head. It judges any other answer by its status, without the body.
  package var refreshDemand: HeadDemand { hasFeed ? .proceed : .stop }

  /// Whether a feed's document follows, or has been found unchanged.
  package var hasFeed: Bool { hasWholeContent || status == 304 }

  /// Whether it speaks for the address that was asked: no redirect has led from there, or permanent ones alone.
  var isOfAskedAddress: Bool { redirects == 0 || permanentURL != nil }
}
