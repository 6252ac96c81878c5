import Feeds
import Flux
import PodfluxCore
import Texts

/// The ends of a refresh: success, nothing new, or failure.
extension RefreshAttempt {
  /// Whether the refresh has ended: nothing follows.
  package var hasEnded: Bool { if case .ended = stage { true } else { false } }

  func report(_ news: RefreshReport.News) -> RefreshReport {
    RefreshReport(refresh: refresh.id, news: news, readFrom: readFrom)
  }

  /// Whether a browser's agent may ask: once in a refresh, and not for a feed whose agent a client has chosen.
  var mayAskAsBrowser: Bool { agent == .own && refresh.feed.wishes.userAgent == nil }

  /// Who has named the address that is read next: elsewhere than at the feed's own a document has.
  var namer: AddressNamer { isAtOwnAddress ? refresh.feed.namer : .feed(readFrom) }

  /// The document was a feed.
  mutating func succeed(_ report: FeedReport, _ document: FeedDocument, _ head: ResponseHead, bodyHash: String) {
    let content = PodcastContent(report.podcast).without(secret)
    let leadsTo = report.podcast.newAddress?.without(secret).normalized
    let finding = FeedMove.Finding(
      podcastGuid: content.guid, episodes: report.episodes, matchedEpisodes: document.matched,
      leadsTo: leadsTo)
    guard fallback == nil || mayMove(to: address, finding) else {
      return fail(.otherFeedAtNewAddress)
    }
    // What is told once is known at the next refresh, and would prove that the feed is there.
    if isLedAway, let target = head.permanentURL.flatMap({ try? WebAddress($0) }),
      move.judge(target, found: finding) == .refuse(.otherContent)
    {
      // A document that ends before its first episode is no other feed.
      guard report.isWhole || report.episodes > 0 else { return fail(.feedEndsEarly) }
      return fail(.leadsToOtherFeed)
    }
    guard !isOfOtherPodcast(document) else { return fail(.otherPodcast) }
    returned = document.returned
    let rhythm = rhythm(report.podcast, document.latest)
    guard report.isWhole else { return endEarly(content, rhythm, leadingTo: leadsTo) }
    // Of a feed that is divided into pages, what is not here may be elsewhere.
    if !report.podcast.pages.isDivided { missing = document.missing }
    let before = refresh.feed.refreshes.validators
    // Notes that were not wanted before say nothing of a change.
    let hasChanged =
      document.hasDifferences || before.hasNotes && document.hasOtherNotes || !missing.isEmpty || !returned.isEmpty
    let isSame = isAtOwnAddress && bodyHash == before.bodyHash
    let hasNotes = document.hasAllNotes || isSame && before.hasNotes
    let news = RefreshReport.News.refreshed(
      RefreshReport.Findings(
        podcast: content == refresh.feed.podcast ? nil : content,
        validators: validators(
          behind: head, bodyHash, isSame ? .same : hasChanged ? .changed : .equivalent, hasNotes: hasNotes),
        rhythm: rhythm, next: nextAfterSuccess(rhythm)))
    let sequel: Sequel =
      if followsDocument, fallback == nil, let target = leadsTo, mayTry(target) {
        .move(to: target, otherwise: news)
      } else {
        .end(news, movedTo: newAddress(behind: head, finding))
      }
    goOn(behind: document, dividedAs: report.podcast.pages, FurtherDocuments(behind: news, then: sequel))
  }

  /// The document ended before its last tag, although the response was complete: its publisher's program may have
  /// crashed, or a disk there was full. What had come is told. But nothing follows from what had not: no episode has
  /// left the feed, the feed was not read to its end, the body's validators are not kept, and no redirect moves the
  /// subscription.
  private mutating func endEarly(_ content: PodcastContent, _ rhythm: FeedRhythm, leadingTo target: WebAddress?) {
    // Elsewhere than at its own address the feed is not, unless the whole of it is there.
    guard fallback == nil else { return fail(.feedEndsEarly) }
    var news = RefreshReport.News.failed(.feedEndsEarly, next: nextAfterPart(rhythm))
    // Some publishers always leave the last tag out. Their feeds are never read to that, and their rules apply
    // nevertheless.
    if isReadFirst, isLastFailure, refresh.feed.refreshes.error?.code == DownloadError.feedEndsEarly.code {
      news = .refreshed(
        .init(podcast: content, validators: FeedValidators(), rhythm: rhythm, next: nextAfterSuccess(rhythm)))
    }
    if followsDocument, let target, mayTry(target) {
      conclude(.move(to: target, otherwise: news))
    } else {
      conclude(.end(news, movedTo: nil))
    }
  }

  /// The server has said that nothing has changed, or has sent the body of the last refresh again.
  ///
  /// - Parameter head: That of the body. A permanent redirect that ends in a 304 moves nothing: only a whole body
  ///   proves that the feed is there.
  mutating func succeedUnchanged(isSameBody: Bool, _ head: ResponseHead? = nil) {
    var validators = refresh.feed.refreshes.validators
    if isSameBody, let head, let hash = validators.bodyHash {
      validators = self.validators(behind: head, hash, .same, hasNotes: validators.hasNotes)
    } else {
      validators = ConditionalPolicy.afterNotModified(validators)
    }
    let moved = head?.permanentURL.flatMap { try? WebAddress($0).normalized }
    conclude(
      .end(
        .refreshed(.init(podcast: nil, validators: validators, next: nextAfterSuccess(refresh.feed.refreshes.rhythm))),
        movedTo: moved.flatMap { mayTry($0) ? $0 : nil }))
  }

  private func validators(
    behind head: ResponseHead, _ bodyHash: String, _ body: ConditionalPolicy.Body, hasNotes: Bool
  ) -> FeedValidators {
    // Validators of one address say nothing about another.
    let before = isAtOwnAddress ? refresh.feed.refreshes.validators : FeedValidators()
    var validators = ConditionalPolicy.afterBody(
      body, hash: bodyHash, entityTag: head["ETag"], lastModified: head.lastModified, at: now.wall, before: before)
    validators.hasNotes = hasNotes
    return validators
  }

  // MARK: Moves

  /// A page that names a feed leads there, once, before a feed has ever been read at the address.
  mutating func followPage(to feed: WebAddress?) {
    guard let feed, feed != address, !hasFollowedPage, fallback == nil, further == nil, isReadFirst else {
      return fail(DownloadError(.notMedia, "the server sent a page instead of a feed"))
    }
    do {
      if let subscribed = try rows.feed(at: feed.normalized), subscribed != refresh.feed.id {
        return fail(
          DownloadError(
            .notMedia,
            """
            the server sent a page that names a feed at \(feed.redacted), which is subscribed already, as \(subscribed); remove \
            this subscription
            """))
      }
    } catch {
      return fail(DownloadError(.io, "the library's feeds cannot be read: \(error)"))
    }
    // A subscription that has to stay at the page would find no feed there at its next refresh.
    guard mayTry(feed) else {
      return fail(
        DownloadError(
          .notMedia,
          """
          the server sent a page that names a feed at \(feed.redacted), where the subscription's headers or password may not \
          go; subscribe to that address
          """))
    }
    hasFollowedPage = true
    address = feed
    request()
  }

  /// As what the document has to be refused unless a known episode follows; nil if it is known to be the feed's.
  var doubt: DownloadError? {
    guard further == nil, let document, document.matched == 0 else { return nil }
    if case .telling = stage { return nil }
    if fallback != nil { return .otherFeedAtNewAddress }
    if isLedAway { return .leadsToOtherFeed }
    return isOfOtherPodcast(document) ? .otherPodcast : nil
  }

  /// Whether a document at the feed's own address, or where that leads for now, says that it is another podcast's, and
  /// has no episode of the feed: a server that is set up wrongly sends one for a while. After some days it is believed.
  /// What tells is `podcast:guid` or, where one of the two has none, the title.
  private func isOfOtherPodcast(_ document: FeedDocument) -> Bool {
    guard isAtOwnAddress, knownEpisodes > 0, document.matched == 0, let podcast = refresh.feed.podcast,
      let last = refresh.feed.refreshes.last,
      now.wall < last.advanced(byMilliseconds: RefreshLimits.otherPodcastMilliseconds)
    else { return false }
    let other = document.podcast
    if let guid = podcast.guid, let otherGuid = other.guid { return guid.lowercased() != otherGuid.lowercased() }
    guard let title = podcast.title, let otherTitle = other.title else { return false }
    return FoldedText.of(title) != FoldedText.of(otherTitle)
  }

  /// Whether a URL leads away from the feed's own address.
  func isElsewhere(_ url: String?) -> Bool {
    guard let address = url.flatMap({ try? WebAddress($0) }) else { return false }
    return address.normalized != refresh.feed.address.normalized
  }

  /// Where the feed is from now on; nil if it stays.
  private func newAddress(behind head: ResponseHead, _ finding: FeedMove.Finding) -> WebAddress? {
    let target = isAtOwnAddress ? head.permanentURL.flatMap { try? WebAddress($0).normalized } : address
    return target.flatMap { mayMove(to: $0, finding) ? $0 : nil }
  }

  /// Whether the feed has moved to an address where this was found.
  private func mayMove(to target: WebAddress, _ finding: FeedMove.Finding) -> Bool {
    mayTry(target) && move.judge(target, found: finding) == .accept
  }

  private var move: FeedMove {
    let feed = refresh.feed
    return FeedMove(
      address: feed.address, formerAddresses: feed.refreshes.formerAddresses,
      podcastGuid: (toldPodcast ?? feed.podcast)?.guid, knownEpisodes: knownEpisodes)
  }

  /// What the document at the feed's own address says of the podcast, if that is news, while the feed is read
  /// elsewhere.
  private var toldPodcast: PodcastContent? {
    guard case .refreshed(let findings)? = fallback else { return nil }
    return findings.podcast
  }

  /// Whether the feed is read where the library knows it.
  var isAtOwnAddress: Bool { fallback == nil && further == nil && !hasFollowedPage }

  /// Whether an address can be the feed's: another one than now, and none that it has left. A feed with a password in
  /// its address stays, because the new one would lose it. One with headers stays on its origin: they are for no other.
  func mayTry(_ target: WebAddress) -> Bool {
    let feed = refresh.feed
    return target != feed.address.normalized && !feed.refreshes.formerAddresses.contains(target)
      && !feed.address.hasUser
      && (feed.wishes.headers.isEmpty || target.hasOrigin(of: feed.address))
  }
}

extension FeedPages {
  /// Whether the feed has further documents (RFC 5005).
  fileprivate var isDivided: Bool { next != nil || previousArchive != nil || isArchive }
}
