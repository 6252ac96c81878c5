import Digests
import Feeds
import Flux
import PodfluxCore

/// One refresh of a feed: what happens between the dispatcher and the system, without threads and clocks.
///
/// Its shell hands in events, one at a time, with the time, and carries out the commands that follow. What the refresh
/// finds it reports in pages; after each it waits for `proceed`, and events that come meanwhile wait with it. Only
/// behind the last page it ends at once, so that both are mostly one commit. The validators of the body are told last,
/// and reports are committed in their order: after a crash in the middle, the next refresh asks for the whole body
/// again and finds what is committed already.
///
/// The product's shell is an `Operation` with an exchange of libcurl; the simulator's is its scheduler.
package struct RefreshAttempt {
  /// How far the refresh has come.
  enum Stage {
    case idle
    /// An exchange has begun, and its head has not come.
    case requesting
    /// The server has refused the engine's agent. When the exchange has ended, a browser's asks.
    case refused
    /// The server says that nothing has changed.
    case unchanged
    /// The body comes, and is held.
    case holding(ResponseHead)
    /// The body comes, and is parsed.
    case reading(ResponseHead)
    /// What is known is told to the store, page by page, before this follows.
    case telling(Sequel)
    case ended
  }

  /// What the refresh does when the stores have committed all its reports.
  enum Sequel {
    case end(RefreshReport.News, movedTo: WebAddress?)
    /// The feed is to be read at the address to which its publisher moves it; without success this is the end.
    case move(to: WebAddress, otherwise: RefreshReport.News)
    /// The feed has a further document there.
    case readFurther(at: WebAddress)
  }

  let refresh: FeedRefresh
  let rows: any EpisodeReader
  /// The secret that the feed's addresses may have, because its requests have it there; nil for none.
  let secret: AddressSecret?
  private let makeDecoder: (ContentCoding) -> any BodyDecoder
  /// How many items that may be known episodes are held until the others had their turn.
  package var undecidedItems = RefreshLimits.undecidedItems
  /// Whether the feed is read where its document says that it has moved to.
  let followsDocument: Bool
  var stage = Stage.idle
  var document: FeedDocument?
  /// The document before the one that begins. What is told of it is committed: an item may have changed since.
  private var former: FeedDocument?
  /// The episodes that have left the feed, and those that are in it again, which are to be told.
  var (missing, returned): ([EpisodeID], [EpisodeID]) = ([], [])
  private var decoder: (any BodyDecoder)?
  private var digest = RunningDigest(.sha256)
  /// The body as far as it is held.
  private var held: [UInt8] = []
  /// The bytes of the body, and those behind its coding.
  private var (bodyBytes, documentBytes): (Int64, Int64) = (0, 0)
  /// Where the feed is read: its own address, or one that leads on from there.
  var address: WebAddress
  /// What ends the refresh if the address that is tried now does not have the feed; nil at the feed's own.
  var fallback: RefreshReport.News?
  /// Whether the feed's own address leads elsewhere for good, and there are episodes by which the feed is known again.
  var isLedAway = false
  /// How many episodes the library knew when the document began: at an address that the feed's own document names,
  /// those of that document are known.
  private(set) var knownEpisodes = 0
  /// Whether a refresh before this one has read a part of the documents.
  private(set) var hasPart = false
  /// What is known while further documents of the feed are read; nil before.
  var further: FurtherDocuments?
  /// Whether a page has led to the feed that it names.
  var hasFollowedPage = false
  /// Where the documents so far were read.
  private(set) var readFrom = AddressClass.unknown
  /// The user agent that the requests name: Podflux, or a browser.
  var agent = RefreshAgent.own
  /// Whether the request lets the server answer that nothing has changed. Some caches do so in any case.
  private var isConditional = false
  /// Events that wait until the last report is committed.
  var waiting: [RefreshEvent] = []
  /// How many bytes of the body have come and wait until the last report is committed. More are not to come until less
  /// wait.
  package internal(set) var waitingBytes = 0
  private var (isWaiting, isStopping) = (false, false)
  /// Whether the refresh has reported what the podcast is.
  private var isDescribed = false
  private(set) var hasExchange = false
  var now = ClockReading(wall: Timestamp(milliseconds: 0), monotonicMilliseconds: 0)
  private var commands: [RefreshCommand] = []

  /// - Parameters:
  ///   - rows: The episodes that the library knows.
  ///   - followsDocument: Whether the feed is read where its document says that it has moved to. What it has there can
  ///     be told from what it has here only if the reports are committed to the rows.
  ///   - secret: What is left out of the addresses that the feed tells.
  package init(
    _ refresh: FeedRefresh, rows: any EpisodeReader, followsDocument: Bool = true, secret: AddressSecret? = nil,
    makeDecoder: @escaping (ContentCoding) -> any BodyDecoder
  ) {
    self.refresh = refresh
    self.followsDocument = followsDocument
    self.rows = rows
    self.secret = secret
    self.makeDecoder = makeDecoder
    address = refresh.feed.address
  }

  /// Takes an event in. Cost: for a piece of the body, that of parsing it.
  package mutating func handle(_ event: RefreshEvent, at now: ClockReading) -> [RefreshCommand] {
    self.now = now
    switch event {
    case .proceed:
      isWaiting = false
      goOn()
    case .stop: stop()
    case .begin: if isStopping { finish(.stopped) } else { request() }
    default:
      wait(event)
      goOn()
    }
    defer { commands = [] }
    return commands
  }

  // MARK: Order

  /// Tells what is found, and takes in what has come, until a report has to be committed.
  private mutating func goOn() {
    while !isWaiting, !hasEnded {
      if doubt == nil, let news = nextPage() {
        isWaiting = !endsNow
        describe(before: news)
        command(.report(report(news)))
      } else if case .telling(let sequel) = stage {
        follow(sequel)
      } else if !waiting.isEmpty {
        take(nextWaiting())
      } else {
        return
      }
    }
  }

  /// Tells what the podcast is before the first episodes of a feed that the library has never read. What stands behind
  /// the episodes follows at the end.
  private mutating func describe(before news: RefreshReport.News) {
    guard case .appeared = news, !isDescribed, refresh.feed.podcast == nil, let podcast = document?.podcast,
      podcast.title != nil
    else { return }
    isDescribed = true
    command(.report(report(.described(podcast))))
  }

  /// Whether nothing is left to tell but the end.
  private var endsNow: Bool {
    guard case .telling(.end) = stage else { return false }
    return missing.isEmpty && returned.isEmpty && document.map { $0.pending == 0 } ?? true
  }

  private mutating func nextPage() -> RefreshReport.News? {
    let isTelling = if case .telling = stage { true } else { false }
    guard var document, document.pending > 0 else { return isTelling ? nextListing() : nil }
    // A page is full, or nothing follows.
    guard isTelling || document.appeared.isPageFull || document.changed.isPageFull else { return nil }
    // Without a copy.
    self.document = nil
    defer { self.document = document }
    if document.changed.isPageFull || isTelling && document.changed.count > 0 {
      return .changed(document.takeChanged())
    }
    return .appeared(document.takeAppeared())
  }

  private mutating func take(_ event: RefreshEvent) {
    switch (event, stage) {
    // What comes until the exchange has been cancelled is of no use.
    case (.head, _) where isStopping, (.body, _) where isStopping: break
    case (.head(let head), .requesting): begin(head)
    case (.body(let bytes), .holding(let head)):
      guard count(bytes) else { return }
      held += bytes
      if held.count > RefreshLimits.heldBytes { readHeld(head) }
    case (.body(let bytes), .reading(let head)):
      guard count(bytes) else { return }
      read(bytes, head)
    case (.exchangeEnded(let result), _):
      hasExchange = false
      end(result)
    case (.head, _), (.body, _), (.begin, _), (.proceed, _), (.stop, _): break
    }
  }

  // MARK: The exchange

  mutating func request() {
    // Further documents count with the first one, and tell their episodes from those that it has.
    if further == nil { (document, bodyBytes, documentBytes) = (nil, 0, 0) }
    (decoder, digest) = (nil, RunningDigest(.sha256))
    (missing, returned, held, isLedAway) = ([], [], [], false)
    stage = .requesting
    hasExchange = true
    let condition = (isAtOwnAddress ? usableValidators : nil).flatMap {
      ConditionalPolicy.condition(for: $0, at: now.wall, isAsked: refresh.feed.refreshes.isAsked)
    }
    isConditional = condition != nil
    let request = HTTPRequest(refresh, at: address, namedBy: namer, as: agent, condition: condition)
    command(.startExchange(request, host: address.host))
  }

  private mutating func begin(_ head: ResponseHead) {
    if head.hasFeed { readFrom = readFrom.joined(head.peer) }
    switch head.status {
    case _ where head.hasWholeContent && further != nil:
      if followsDocument {
        (former, document) = (document, nil)
      } else {
        // A preview commits nothing: no row has what was reported.
        document?.beginFurther(at: (try? WebAddress(head.effectiveURL)) ?? address, charset: head.charset)
        decoder = FeedBodyDecoder(head.contentCoding, makeDecoder)
      }
      stage = .reading(head)
    case 304 where isConditional: stage = .unchanged
    case _ where head.hasWholeContent:
      // A body that has to be read is not held: its notes may be long.
      stage = keepsNotes && usableValidators == nil ? .reading(head) : .holding(head)
      isLedAway = isAtOwnAddress && refresh.feed.episodes > 0 && isElsewhere(head.permanentURL)
    case let status where RefreshAgent.refusals.contains(status) && mayAskAsBrowser: stage = .refused
    case 410 where further == nil && !(isAtOwnAddress && head.isOfAskedAddress): fail(.goneElsewhere, retryAfter(head))
    default: fail(.answered(head, to: "feed"), retryAfter(head))
    }
  }

  private mutating func count(_ bytes: [UInt8]) -> Bool {
    bodyBytes += Int64(bytes.count)
    guard bodyBytes <= RefreshLimits.bodyBytes else {
      fail(DownloadError(.tooLarge, "the feed has more than \(RefreshLimits.bodyBytes) bytes; no feed needs as many"))
      return false
    }
    bytes.withUnsafeBytes { digest.update($0) }
    return true
  }

  private mutating func end(_ result: Result<ExchangeSummary, ExchangeFailure>) {
    if isStopping { return finish(.stopped) }
    switch (result, stage) {
    case (_, .telling), (_, .ended), (_, .idle): break
    case (_, .refused):
      agent = .browser
      request()
    case (.failure(let failure), _): fail(DownloadError(failure))
    case (.success, .unchanged): succeedUnchanged(isSameBody: false)
    case (.success, .holding(let head)):
      if isAtOwnAddress, let hash = usableValidators?.bodyHash, hash == digest.digest().hexadecimal {
        succeedUnchanged(isSameBody: true, head)
      } else {
        readHeld(head)
        endDocument()
      }
    case (.success, .reading): endDocument()
    case (.success, .requesting): fail(DownloadError(.connectionLost, "the server answered nothing"))
    }
  }

  // MARK: The document

  private mutating func readHeld(_ head: ResponseHead) {
    stage = .reading(head)
    let bytes = held
    held = []
    read(bytes, head)
  }

  private mutating func read(_ bytes: [UInt8], _ head: ResponseHead) {
    do {
      if document == nil {
        let known = try rows.episodeTraces(of: refresh.feed.key, withNotes: keepsNotes)
        let readTo = refresh.feed.refreshes.readTo
        if further == nil { (knownEpisodes, hasPart) = (known.count, known.contains { $0.id.number > readTo }) }
        document = FeedDocument(
          at: (try? WebAddress(head.effectiveURL)) ?? address, charset: head.charset, known: known,
          readTo: readTo, keepsNotes: keepsNotes, undecidedItems: undecidedItems, secret: secret, behind: former)
        (former, decoder) = (nil, FeedBodyDecoder(head.contentCoding, makeDecoder))
      }
      try bytes.withUnsafeBytes { try decode($0) }
    } catch let error as DownloadError {
      fail(error)
    } catch {
      fail(DownloadError(.io, "the library's episodes cannot be read: \(error)"))
    }
    if let doubt, let document, document.appeared.count > RefreshLimits.doubtfulEpisodes { fail(doubt) }
  }

  private mutating func decode(_ bytes: UnsafeRawBufferPointer) throws {
    guard let decoder else { return try parse(bytes) }
    var failure: DownloadError?
    _ = try decoder.decode(bytes) { decoded in
      do throws(DownloadError) {
        try parse(decoded)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
  }

  private mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(DownloadError) {
    documentBytes += Int64(bytes.count)
    guard documentBytes <= RefreshLimits.documentBytes else {
      throw DownloadError(.tooLarge, "the feed has more than \(RefreshLimits.documentBytes) bytes behind its coding")
    }
    document?.parse(bytes)
  }

  private mutating func endDocument() {
    guard case .reading(let head) = stage, var document else {
      return fail(DownloadError(.notMedia, "the server sent nothing"))
    }
    self.document = nil
    let outcome = document.finish()
    self.document = document
    stage = .requesting
    switch outcome {
    case .feed(let report):
      if let further {
        endFurther(further, report, document)
      } else {
        succeed(report, document, head, bodyHash: digest.digest().hexadecimal)
      }
    case .page(let feeds): followPage(to: feeds.first.map { $0.without(secret) })
    case .unknown: fail(DownloadError(.notMedia, "what the server sent is no feed"))
    }
  }

  // MARK: The end

  /// Tells first what is left to tell.
  mutating func conclude(_ sequel: Sequel) {
    stage = .telling(sequel)
  }

  private mutating func follow(_ sequel: Sequel) {
    switch sequel {
    case .end(let news, let address):
      if let address { command(.report(report(.moved(address)))) }
      finish(news)
    case .move(let target, let news):
      (fallback, address) = (news, target)
      request()
    case .readFurther(let document):
      address = document
      request()
    }
  }

  mutating func command(_ command: RefreshCommand) { commands.append(command) }

  mutating func fail(_ error: DownloadError, _ retryAfterMilliseconds: Int64? = nil) {
    if hasExchange { command(.cancelExchange) }
    if let further { return failFurther(further, error, retryAfterMilliseconds) }
    document = nil
    if let fallback { return finish(fallback.readAgain) }
    finish(.failed(error, next: nextAfterFailure(retryAfterMilliseconds)))
  }

  private mutating func stop() {
    guard !hasEnded, !isStopping else { return }
    isStopping = true
    // Its operation cannot end before it has begun.
    if case .idle = stage { return }
    if let further, !followsDocument { return endPreview(further) }
    let hasEndWaiting = waiting.contains { if case .exchangeEnded = $0 { true } else { false } }
    guard hasExchange, !hasEndWaiting else { return finish(.stopped) }
    // Nothing that waits is of use.
    forgetWaiting()
    (isWaiting, document) = (false, nil)
    command(.cancelExchange)
  }

  mutating func finish(_ news: RefreshReport.News) {
    guard !hasEnded else { return }
    stage = .ended
    forgetWaiting()
    (document, held) = (nil, [])
    command(.end(report(news)))
  }
}
