import Flux
import PodfluxCore

/// One committed batch and its effects.
struct Batch {
  var actions: [Action]
  var clock: ClockReading
  var turnout: Dispatcher<Stores>.Turnout
}

/// The events of a run: the last turns in words, and a hash of all.
struct Trace {
  struct Turn {
    var batch: Batch
    var time: Int64

    init(_ batch: Batch, at time: Int64) {
      self.batch = batch
      self.time = time
    }
  }

  private enum Entry {
    case turn(Turn)
    case note(String)
  }

  private let kept: Int
  private var entries: [Entry] = []
  private var hash = StableHash()

  /// - Parameter kept: How many of the last events are kept for people; all of them are in the hash.
  init(keeping kept: Int) {
    self.kept = kept
  }

  /// A hash of all events, in order.
  var fingerprint: UInt64 { hash.value }

  mutating func note(_ turn: Turn) {
    hash.mix(turn.time)
    hash.mix(turn.batch.turnout.position.sequence)
    hash.mix(Int64(turn.batch.turnout.effects.count))
    for action in turn.batch.actions { hash.mix(action) }
    append(.turn(turn))
  }

  mutating func note(_ text: String) {
    hash.mix(text)
    append(.note(text))
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    if entries.count >= 2 * kept { entries.removeFirst(kept) }
  }

  /// The last turns, in words.
  var lastLines: [String] {
    entries.suffix(kept).flatMap { entry in
      switch entry {
      case .note(let text): ["-- \(text)"]
      case .turn(let turn): Self.lines(of: turn)
      }
    }
  }

  private static func lines(of turn: Turn) -> [String] {
    let turnout = turn.batch.turnout
    let head = "\(turn.time) ms, revision \(turnout.position.revision), sequence \(turnout.position.sequence)"
    let actions = zip(turn.batch.actions, turnout.outcomes).map { action, outcome in
      switch outcome {
      case .refused(let refusal): "   \(action.summary) refused: \(refusal.code.rawValue)"
      case .handled(let reply?): "   \(action.summary) -> \(reply)"
      case .handled(nil): "   \(action.summary)"
      }
    }
    return [head] + actions + turnout.effects.map { "   => \($0.summary)" }
  }
}

extension StableHash {
  /// Mixes in the parts of an action that could differ between runs; cheap, since it runs for each.
  mutating func mix(_ action: Action) {
    switch action {
    case .attempt(let report):
      mix(report.attempt.download.description)
      mix(report.attempt.generation)
      mix(report.news.number)
    case .deleted(let key), .notDeleted(let key, _): mix(key)
    case .verified(let verification, let verdict):
      mix(verification.key)
      mix("\(verdict)")
    case .surveyed(let run, let news):
      mix(run)
      mix(news)
    case .cleaned(let step, let outcome):
      mix(step)
      mix(outcome == .done ? 1 : 0 as UInt64)
    case .refresh(let report):
      mix(report.refresh.feed.description)
      mix(report.refresh.generation)
      mix(report.summary)
    case .timeCame: mix(1 as UInt64)
    case .upkeepDone(let gone): gone.forEach { mix($0.description) }
    case .intent(let intent): mix(intent)
    case .roomCame(let bytes): mix(bytes)
    case .localTime(let zone): mix(zone.seconds)
    case .recovered(let recovery): recovery.published.forEach { mix($0.description) }
    default: mix("\(action)")
    }
  }

  private mutating func mix(_ intent: Intent) {
    switch intent {
    case .downloads(let intent): mix(intent)
    case .podcasts(let intent): mix(intent)
    case .updateSettings(let patch): mix(Int64(patch.maxConcurrent ?? -1))
    case .stop(let mode): mix(mode.rawValue)
    default: mix("\(intent)")
    }
  }

  private mutating func mix(_ news: CleanupNews) {
    switch news {
    case .found(let steps): steps.forEach { mix($0.because) }
    case .progress(let progress): mix(Int64(progress.files))
    case .complete(let usage, _): mix(usage.media)
    case .refused(let reason), .failed(let reason): mix(reason)
    }
  }

  private mutating func mix(_ intent: DownloadIntent) {
    switch intent {
    case .enqueue(let wish):
      mix(wish.address.description)
      mix(wish.id?.description ?? "")
    case .pause(let selection): mix(selection, as: 1)
    case .resume(let selection): mix(selection, as: 2)
    case .cancel(let selection): mix(selection, as: 3)
    case .retry(let selection): mix(selection, as: 4)
    case .remove(let selection, let isDeleting): mix(selection, as: isDeleting ? 5 : 6)
    case .verify(let selection): mix(selection, as: 7)
    default: mix("\(intent)")
    }
  }

  private mutating func mix(_ intent: PodcastIntent) {
    switch intent {
    case .unsubscribe(let id, let isDeleting):
      mix(isDeleting ? 1 : 2 as UInt64)
      mix(id.description)
    case .refresh(.one(let id)): mix(id.description)
    case .refresh(.many(let ids)): ids.forEach { mix($0.description) }
    case .refresh(.all): mix(3 as UInt64)
    case .download(let selection):
      mix(4 as UInt64)
      mix(selection)
    case .mark(let selection, let marking):
      mix(5 as UInt64)
      mix(selection)
      for isSo in [marking.isPlayed, marking.isFavorite, marking.isArchived] {
        mix(isSo.map { $0 ? 2 : 1 } ?? 0 as Int64)
      }
    default: mix("\(intent)")
    }
  }

  private mutating func mix(_ selection: PodcastIntent.EpisodeSelection) {
    switch selection {
    case .one(let id): mix(id.number)
    case .many(let ids): ids.forEach { mix($0.number) }
    case .matching(let condition): mix("\(condition)")
    }
  }

  private mutating func mix(_ selection: DownloadIntent.Selection, as intent: UInt64) {
    mix(intent)
    switch selection {
    case .one(let id): mix(id.description)
    case .many(let ids): ids.forEach { mix($0.description) }
    case .matching(let condition): mix("\(condition)")
    }
  }
}

extension AttemptReport.News {
  /// A number for the kind.
  fileprivate var number: Int64 {
    switch self {
    case .reading(let received, _): received
    case .checkpoint(let record): record.durable
    case .restarting(let discarding, _): discarding
    case .publishing(let file, _, _), .finished(let file, _): Int64(bitPattern: file.inode)
    case .failed(_, let kept, _), .stopped(let kept), .pathRefused(let kept): kept?.durable ?? -1
    }
  }
}

extension Action {
  /// The action in a few words.
  var summary: String {
    switch self {
    case .attempt(let report): "\(report.attempt.download)/\(report.attempt.generation) \(report.news.summary)"
    case .refresh(let report): report.summary
    case .intent(let intent): intent.summary
    case .verified(let verification, let verdict): "verified \(verification.key): \(verification.download) \(verdict)"
    case .surveyed(let run, .found(let steps)):
      "looked \(run): "
        + steps.map { "\($0.decision.rawValue) \($0.finding), because \($0.because)" }.joined(separator: "; ")
    default: "\(self)"
    }
  }
}

extension Intent {
  /// The intent in a few words.
  fileprivate var summary: String {
    switch self {
    case .downloads(.enqueue(let wish)):
      "enqueue \(wish.id?.description ?? "-") \(wish.address) \(wish.priority)\(wish.isPaused ? " paused" : "")"
        + (wish.description.path.map { " as \($0)" } ?? "")
    case .downloads(let intent): "\(intent)"
    case .updateSettings(let patch):
      "settings maxConcurrent \(patch.maxConcurrent.map(String.init) ?? "-") maxPerHost \(patch.maxPerHost.map(String.init) ?? "-")"
    default: "\(self)"
    }
  }
}

extension RefreshReport {
  fileprivate var summary: String {
    let name = "\(refresh.feed)/\(refresh.generation)"
    return switch news {
    case .described(let podcast): "\(name) is \(podcast.title ?? "untitled")"
    case .appeared(let contents): "\(name) appeared: \(contents.map(\.summary).joined(separator: "; "))"
    case .changed(let changes):
      "\(name) changed: \(changes.map { "\($0.id) is \($0.content.summary)" }.joined(separator: "; "))"
    case .listed(let missing, let returned): "\(name) missing \(missing), returned \(returned)"
    case .moved(let address): "\(name) moved to \(address)"
    case .refreshed(let findings):
      "\(name) refreshed, next \(findings.next.milliseconds - World.beginning), tag \(findings.validators.entityTag ?? "-")"
    case .failed(let error, let next): "\(name) failed \(error), next \(next.milliseconds - World.beginning)"
    case .stopped: "\(name) stopped"
    }
  }
}

extension AttemptReport.News {
  fileprivate var summary: String {
    switch self {
    case .reading(let received, let phase): "reading \(received) \(phase.name)"
    case .checkpoint(let record): "checkpoint \(record.durable) of \(record.total.map(String.init) ?? "?")"
    case .restarting(let discarding, let cause): "restarting, discarding \(discarding) because \(cause.rawValue)"
    case .publishing(let file, _, _): "publishing \(file.path) length \(file.length) inode \(file.inode)"
    case .finished(let file, _): "finished \(file.path)"
    case .failed(let error, let kept, _): "failed \(error.code.rawValue), kept \(kept?.durable ?? 0)"
    case .stopped(let kept): "stopped, kept \(kept?.durable ?? 0)"
    case .pathRefused(let kept): "led elsewhere, kept \(kept?.durable ?? 0)"
    }
  }
}

extension Effect {
  fileprivate var summary: String {
    switch self {
    case .start(let attempt):
      "start \(attempt.id.download)/\(attempt.id.generation) with \(attempt.resume?.durable ?? 0) durable bytes"
    case .stop(let id): "stop \(id.download)/\(id.generation)"
    case .leaveParts(let parts, let id): "\(id.download)/\(id.generation) without \(parts.map(\.rawValue))"
    case .proceed(let id): "proceed \(id.download)/\(id.generation)"
    case .refreshFeed(let refresh): "refresh \(refresh.id.feed)/\(refresh.id.generation)"
    case .proceedRefresh(let id): "proceed \(id.feed)/\(id.generation)"
    case .stopRefresh(let id): "stop \(id.feed)/\(id.generation)"
    case .delete(let deletion):
      "\(deletion.fate) \(deletion.key): \(deletion.download) \(deletion.file?.path.description ?? "")"
    case .verify(let verification): "verify \(verification.key): \(verification.download) \(verification.file.path)"
    case .startSurvey(let run, _): "look \(run.key) \(run.options) because \(run.cause)"
    case .nextSurveyPage(let run): "tell more of \(run)"
    case .cancelSurvey(let run): "end looking \(run)"
    case .cleanUp(let step): "clean up \(step.key): \(step.decision.rawValue) \(step.finding)"
    case .limit(let limits): "limit \(limits)"
    case .leaveNetworkPath: "leave the path"
    case .watchRoom(let bytes): "watch for \(bytes.map(String.init) ?? "no") bytes"
    case .readLocalTime: "read the time zone"
    case .wake(let moment): "wake at \(moment.map { String($0.milliseconds - World.beginning) } ?? "never")"
    case .announce(let announcement): "announce \(announcement.event)"
    case .runUpkeep(let folders, let day): "look after \(folders.count) folders\(day == nil ? "" : " on a new day")"
    case .tell(let notice): "tell \(notice)"
    case .sidecar(.fetch(let fetch)):
      "fetch \(fetch.id.sidecar)/\(fetch.id.generation) \(fetch.kind.rawValue) as \(fetch.stem)"
    case .sidecar(let order): "\(order)"
    case .session(.open(let opening)):
      "open \(opening.id.session)/\(opening.id.generation) for token \(opening.token)\(opening.takesKept ? ", or the kept one" : "")"
    case .session(let order): "\(order)"
    case .close: "close"
    }
  }
}
