import Feeds
import Flux
import PodfluxCore

/// Further documents of a feed that is divided (RFC 5005): the pages of section 3, and the archives of section 4.
///
/// They are read until one of them ends with episodes that the library knew when the feed was last read without a gap
/// (`FeedDocument.leadsToKnown`): what is older is known, too. A first refresh reads all of them; later ones mostly
/// need the first document only.
extension RefreshAttempt {
  /// The progress of reading further documents.
  struct FurtherDocuments {
    /// The result of the first document: how the refresh ends if no other document can be read.
    let news: RefreshReport.News
    /// What the refresh does when it has read the further documents.
    fileprivate let sequel: Sequel
    /// The addresses of the documents that were read, or are.
    fileprivate(set) var read: Set<WebAddress> = []
    /// How many different items the documents have had so far.
    private var items = 0
    /// How many documents in a row, up to the last one, had only items of the documents before.
    private var repetitions = 0

    init(behind news: RefreshReport.News, then sequel: Sequel) {
      (self.news, self.sequel) = (news, sequel)
    }

    /// Whether another document may be read: some servers answer each page number with the same document.
    fileprivate var mayGoOn: Bool {
      read.count < RefreshLimits.furtherDocuments && repetitions < RefreshLimits.repeatingDocuments
    }

    /// Notes at the end of a document how many different items all documents had so far.
    fileprivate mutating func count(_ items: Int) {
      repetitions = items > self.items || read.isEmpty ? 0 : repetitions + 1
      self.items = items
    }
  }

  /// Goes on after the end of a document: reads a further one, or ends the refresh.
  mutating func goOn(behind document: FeedDocument, dividedAs pages: FeedPages, _ further: FurtherDocuments) {
    var further = further
    further.count(document.distinct)
    guard !document.leadsToKnown, let older = pages.older?.withUser(of: refresh.feed.address), mayRead(older),
      further.mayGoOn, further.read.insert(older).inserted
    else {
      self.further = nil
      return conclude(further.sequel)
    }
    self.further = further
    conclude(.readFurther(at: older))
  }

  /// Handles the end of a further document that was a feed.
  mutating func endFurther(_ further: FurtherDocuments, _ report: FeedReport, _ document: FeedDocument) {
    guard report.isWhole else { return fail(.feedEndsEarly) }
    returned = document.returned
    goOn(behind: document, dividedAs: report.podcast.pages, further)
  }

  /// A further document cannot be read. The refresh fails with it, so that the next one soon begins anew, unless that
  /// is of no use: what a server refuses once, or for some time, it refuses again. Then the refresh ends with what was
  /// read, and with a gap: refreshes to come try again, the next one in a day even if nothing else changes. Each of
  /// them reads all documents up to the gap: one behind many, or beyond the limits of a feed, is left for good.
  mutating func failFurther(_ further: FurtherDocuments, _ error: DownloadError, _ retryAfterMilliseconds: Int64?) {
    self.further = nil
    // Former failures count where they were those of further documents: others say nothing of this one.
    let isLast = (isLastFailure || hasOldGap) && hasPart && fallback == nil
    guard followsDocument, error.isTransient, !isLast else {
      let leavesGap = further.read.count <= RefreshLimits.documentsBeforeGap && error.code != .tooLarge
      switch further.sequel {
      case .end(let news, let address): return conclude(.end(leavesGap ? news.withGap : news, movedTo: address))
      // It is tried again.
      case .move, .readFurther:
        return conclude(.end(leavesGap ? further.news.withGap : further.news.readAgain, movedTo: nil))
      }
    }
    // It was read whole where it has been until now. The move is tried again.
    if let fallback { return conclude(.end(fallback.readAgain, movedTo: nil)) }
    var error = error
    error.message = "a further document of the feed, at \(address.without(secret).redacted): \(error.message)"
    conclude(.end(.failed(error, next: nextAfterFailure(retryAfterMilliseconds)), movedTo: nil))
  }

  /// Ends a preview whose time is over with the episodes that it has found.
  mutating func endPreview(_ further: FurtherDocuments) {
    if hasExchange { command(.cancelExchange) }
    finish(further.news)
  }

  /// Whether the feed has never been read to its end.
  var isReadFirst: Bool { refresh.feed.refreshes.last == nil }

  /// Whether the refresh before this one has succeeded: if it has read a part only, it has left a gap.
  private var hasOldGap: Bool { !isReadFirst && refresh.feed.refreshes.failures == 0 }

  /// Whether a read that fails again is taken for one of all that the feed has.
  var isLastFailure: Bool { refresh.feed.refreshes.failures + 1 >= RefreshLimits.partialReads }

  /// Whether a further document may be at an address. That of a feed with a login must be on its origin: the login is
  /// for no other. The client's headers go to no other either, where a document may do without.
  private func mayRead(_ document: WebAddress) -> Bool {
    let own = refresh.feed.address
    let hasLogin = refresh.session != nil || secret != nil
    return document != own && document != address && (!hasLogin || document.hasOrigin(of: own))
  }
}

extension RefreshReport.News {
  /// The same, but the document is read again although it has not changed, at once if a client asks and after a day if
  /// none does: it says where the feed has moved.
  var readAgain: Self {
    guard case .refreshed(var findings) = self else { return self }
    findings.validators.bodyHash = nil
    return .refreshed(findings)
  }

  /// The same, but a part of the feed was not read. The document is read again, as for `readAgain`.
  fileprivate var withGap: Self {
    guard case .refreshed(var findings) = readAgain else { return self }
    findings.hasGap = true
    return .refreshed(findings)
  }
}

extension FeedPages {
  /// The document with older episodes.
  fileprivate var older: WebAddress? { next ?? previousArchive }
}
