import Flux
import PodfluxClient
import PodfluxCore
import Terminal

/// Everything that is known of one thing, in sentences. What an engine does not tell is not said.
package struct Explanation {
  private let clock: PersonalClock
  package private(set) var sentences: [String] = []

  private init(_ clock: PersonalClock) {
    self.clock = clock
  }

  private mutating func say(_ sentence: String?) {
    if let sentence { sentences.append(sentence) }
  }

  // MARK: Downloads

  /// - Parameters:
  ///   - episode: The episode that it was made for, if there is one.
  ///   - library: The library's folder.
  ///   - hints: What commands to name.
  package init(
    _ item: DownloadItem, episode: EpisodeItem?, library: String, hints: CommandHints, by clock: PersonalClock
  ) {
    self.init(clock)
    say(item.podcast.map { "\(item.name), of \($0)." } ?? "\(item.name).")
    sayState(of: item, library: library, hints)
    sayAttempts(of: item)
    sayBytes(of: item)
    sayOrigin(of: item)
    if let episode {
      if item.origin == .auto { say(episode.verdict.map { "Why: \($0.text)." }) }
      say(Self.place(of: episode))
      say(Self.marks(of: episode))
    }
    say(item.url.map { "It comes from \($0)." })
  }

  private mutating func sayState(of item: DownloadItem, library: String, _ hints: CommandHints) {
    switch item.state {
    case .completed:
      say("It is here" + (item.dates.finished.map { " since \(clock.time($0))" } ?? "") + ".")
      say(item.path.map { "Its file is \(library)/\($0)." })
      say(item.dates.modified.map { "Another program has changed the file; that was noticed \(clock.time($0))." })
    case .running:
      let left = item.secondsLeft.map { ", \(TimeLeft(seconds: $0)) left" } ?? ""
      let rate = item.rate > 0 ? " with \(ByteCount(item.rate).perSecond)\(left)" : ""
      say("It is being downloaded\(rate) (\(item.phase ?? "running")).")
    case .queued: say("It is in the queue and starts when its turn comes.")
    case .waiting where item.reason == .auth:
      let commands = hints.openCommands(for: item.url)
      say("It \(item.stateWords(by: clock)).")
      let next = commands.isEmpty ? "podflux sessions lists the logins" : "It goes on after \(commands.listed("or"))"
      say("\(next).")
    case .waiting: say(Self.capitalized("it \(item.stateWords(by: clock)).", item))
    case .paused: say("It is paused and goes on with podflux resume.")
    case .failed where item.error?.needsCredentials == true:
      say("It has failed: \(item.stateWords(by: clock)).")
      say("Its login is put right with \(hints.loginCommands(for: item)); then try again with podflux retry.")
    case .failed: say("It has failed: \(item.stateWords(by: clock)). Try again with podflux retry.")
    case nil: break
    }
    if item.state != .completed { say(item.error.flatMap(Self.details)) }
  }

  /// "It waits: …", and "It is tried again in 0:42: …".
  private static func capitalized(_ sentence: String, _ item: DownloadItem) -> String {
    let words = item.reason == .retry ? sentence.replacing("it again", with: "It is tried again") : sentence
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The engine's own sentence, if it says more than the code.
  private static func details(of error: Failure) -> String? {
    error.message.isEmpty || error.message == error.words ? nil : "In detail: \(error.message)."
  }

  private mutating func sayAttempts(of item: DownloadItem) {
    switch item.state {
    // Of a file that was damaged later no attempt has failed.
    case .failed where item.attempt > 0 && item.error?.code != DownloadError.Code.corruptFile.rawValue:
      say("\(count(item.attempt, "attempt")) failed without progress.")
    case .waiting where item.reason == .retry && item.attempt > 0: say("The next attempt is number \(item.attempt).")
    case .running where item.attempt > 1: say("This is attempt number \(item.attempt).")
    default: break
    }
  }

  private mutating func sayBytes(of item: DownloadItem) {
    let bytes = item.bytes
    if item.state != .completed, bytes.received > 0 {
      let whole = bytes.total.map { " of \(ByteCount($0))" } ?? ""
      say("\(ByteCount(bytes.received))\(whole) are here" + (item.isResumable ? ", and it goes on from there." : "."))
    }
    guard bytes.discarded > 0 else { return }
    let causes = bytes.discardedBecause.map { amount in
      "\(ByteCount(amount.bytes)) because \(RestartCause(rawValue: amount.cause)?.words ?? amount.cause)"
    }
    say("Of what came, it threw away " + (causes.isEmpty ? "\(ByteCount(bytes.discarded))." : causes.listed + "."))
  }

  private mutating func sayOrigin(of item: DownloadItem) {
    guard let added = item.dates.added else { return }
    say("It was added \(clock.time(added))" + (item.origin == .auto ? " by a rule." : " on request."))
  }

  // MARK: Episodes

  package init(_ episode: EpisodeItem, feed: String?, by clock: PersonalClock) {
    self.init(clock)
    let date = episode.published.map { ", published \(clock.day($0))" } ?? ""
    say("\(episode.title ?? episode.id)" + (feed.map { ", of \($0)" } ?? "") + date + ".")
    if episode.url == nil {
      say("Its feed names no file for it that can be fetched.")
    } else if let state = episode.state {
      say("It has a download, which is \(state.rawValue).")
    } else {
      say(Self.absence(of: episode) + " Do so with podflux get \(episode.id).")
    }
    say(Self.place(of: episode))
    say(Self.marks(of: episode))
    say(episode.url.map { "Its file is at \($0)." })
  }

  /// Why an episode has no download.
  private static func absence(of episode: EpisodeItem) -> String {
    guard let verdict = episode.verdict else { return "It is not downloaded: nothing has asked for it." }
    return switch verdict.outcome {
    case .deleted: "A rule has deleted it: \(verdict.text)."
    case .wanted: "A rule is about to download it: \(verdict.text)."
    case .downloaded, .notDownloaded, nil: "It is not downloaded: \(verdict.text)."
    }
  }

  /// How a person has marked an episode; nil without a mark.
  private static func marks(of episode: EpisodeItem) -> String? {
    let marks = [
      episode.marks.isPlayed ? "played" : nil, episode.marks.isFavorite ? "favorite" : nil,
      episode.marks.isArchived ? "archived" : nil,
    ].compactMap { $0 }
    guard !marks.isEmpty else { return nil }
    return "It is marked as \(marks.listed)" + (episode.marks.isFavorite ? ", and no rule deletes it." : ".")
  }

  /// The sentence that an episode has left its feed; nil if it has not.
  private static func place(of episode: EpisodeItem) -> String? {
    episode.isMissingFromFeed ? "Its feed does not have it any more." : nil
  }

  // MARK: Feeds

  package init(_ feed: FeedItem, hints: CommandHints, by clock: PersonalClock) {
    self.init(clock)
    say((feed.title ?? feed.id) + (feed.group.map { ", in the group \($0)" } ?? "") + ".")
    say("\(count(feed.episodes, "episode")) known, \(feed.downloaded) of them here.")
    let never = feed.error == nil ? "It was not refreshed yet." : "No refresh has succeeded yet."
    say(feed.lastRefreshed.map { "It was last refreshed \(clock.time($0))." } ?? never)
    if let error = feed.error {
      say("The last refresh failed: \(error.words).")
      say(Self.details(of: error))
      if error.needsCredentials { say("Its login is put right with \(hints.loginCommand(for: feed)).") }
    }
    if feed.hasEnded {
      say("Its server says that it has ended for good; it is not refreshed by itself any more.")
    } else if feed.isPaused {
      say("It is paused: only podflux sync with its name refreshes it.")
    } else if feed.isRefreshing {
      say("It is being refreshed.")
    } else if let next = feed.nextRefresh {
      let isDue = next <= clock.now
      say(isDue ? "The next refresh is due." : "The next refresh is \(clock.distance(to: next)).")
      if isDue, let hindrance = hints.knownHindrance(to: feed) { say("It may be kept from that: \(hindrance).") }
    }
    for words in feed.rules.words { say("A rule: \(words).") }
    say(feed.movedFrom.map { "Its publisher has moved it from \($0)." })
    say(feed.url.map { "It is at \($0)." })
  }
}
