import PodfluxCore

/// Whether a subscription follows its feed to another address: a permanent redirect (301, 308), or
/// `itunes:new-feed-url`.
///
/// A wrong move costs the subscription, a refused one a redirect at each refresh. So the new address must have the same
/// podcast, and must not send back.
package struct FeedMove: Hashable, Sendable {
  /// What was found at the new address.
  package struct Finding: Hashable, Sendable {
    /// `podcast:guid`.
    package var podcastGuid: String?
    package var episodes: Int
    /// How many of them are known ones.
    package var matchedEpisodes: Int
    /// Where the document at the new address in turn says that the feed is; nil if it says nothing.
    package var leadsTo: WebAddress?

    package init(
      podcastGuid: String? = nil, episodes: Int, matchedEpisodes: Int, leadsTo: WebAddress? = nil
    ) {
      self.podcastGuid = podcastGuid
      self.episodes = episodes
      self.matchedEpisodes = matchedEpisodes
      self.leadsTo = leadsTo
    }
  }

  /// What is done about it.
  package enum Judgement: Hashable, Sendable {
    case accept
    case refuse(Reason)
  }

  /// Why a feed stays where it is.
  package enum Reason: Hashable, Sendable {
    /// It is there already.
    case sameAddress
    /// The new address sends back to the present or to a former one.
    case loop
    /// The new address has another podcast.
    case otherContent
  }

  package var address: WebAddress
  /// The addresses where the feed was before.
  package var formerAddresses: [WebAddress]
  package var podcastGuid: String?
  package var knownEpisodes: Int

  /// A feed before its move.
  package init(address: WebAddress, formerAddresses: [WebAddress] = [], podcastGuid: String? = nil, knownEpisodes: Int)
  {
    self.address = address
    self.formerAddresses = formerAddresses
    self.podcastGuid = podcastGuid
    self.knownEpisodes = knownEpisodes
  }

  /// Judges the move to an address where this was found.
  ///
  /// It may go back to a former address, if that address has the feed itself again.
  package func judge(_ proposed: WebAddress, found: Finding) -> Judgement {
    guard proposed != address else { return .refuse(.sameAddress) }
    if let next = found.leadsTo, next != proposed, next == address || formerAddresses.contains(next) {
      return .refuse(.loop)
    }
    if formerAddresses.contains(proposed), let next = found.leadsTo, next != proposed { return .refuse(.loop) }
    return isSamePodcast(found) ? .accept : .refuse(.otherContent)
  }

  /// Equal guids of the podcast prove it. Else a known episode does; most must be known ones if the guids differ, since
  /// the feed of a whole network has some of each of its podcasts. A feed without episodes has nothing to lose.
  private func isSamePodcast(_ found: Finding) -> Bool {
    guard let podcastGuid, let other = found.podcastGuid else {
      return knownEpisodes == 0 || found.matchedEpisodes > 0
    }
    if podcastGuid == other { return true }
    return found.matchedEpisodes > 0 && found.matchedEpisodes >= min(found.episodes, knownEpisodes) / 2
  }
}
