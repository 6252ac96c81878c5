import Flux
import PodfluxCore
import TestActions
import TestSupport

/// Draws actions of every case, with everything in them that can be: the texts that JSON has to escape, the numbers at
/// the ends of their ranges.
struct RandomActions {
  var random: SeededRandom

  /// How many kinds of actions there are.
  static let kinds = downloadKinds + podcastKinds + sidecarKinds + sessionKinds
  private static let downloadKinds = 52

  mutating func action(_ kind: Int) -> Action {
    switch kind {
    case 0...8: .downloads(intent(kind))
    case 9: .updateSettings(patch())
    case 10...16: filterAction(kind - 10)
    case 17: .stop(pick([.drain, .suspend, .now]))
    case 18:
      .recovered(
        Recovery(
          published: many(upTo: 4) { $0.id() }, detectedPath: maybe { $0.networkPath() },
          reportedPath: maybe { $0.networkPath() }, localTime: maybe { $0.localTime() }, mayCleanUp: once(in: 2),
          mayDownload: once(in: 2), mayDeleteOwed: once(in: 2)))
    case 19...26:
      .attempt(report(news(kind - 19)))
    case 27: .deleted(number())
    case 28: .notDeleted(number(), because: maybe { $0.text() })
    case 29: .verified(verification(), .intact)
    case 30: .verified(verification(), .damaged(text(), remains: maybe { $0.file() }))
    case 31: .verified(verification(), .unreadable(text()))
    case 32: .cleanup(.run(options()))
    case 33: .cleanup(.cancel)
    case 34: .surveyed(number(), .found(many(upTo: 5) { $0.step() }))
    case 35: .surveyed(number(), .complete(usage(), remark: maybe { $0.text() }))
    case 36: .surveyed(number(), .refused(text()))
    case 37: .surveyed(number(), .failed(text()))
    case 38: .cleaned(number(), .done)
    case 39: .cleaned(number(), .left(text()))
    case 40: .attempt(report(.pathRefused(kept: keptRecord())))
    case 41: .attempt(report(.pathRefused(kept: nil)))
    case 42: .network(.report(networkPath()))
    case 43: .network(.auto)
    case 44: .networkPath(networkPath())
    case 45: .localTime(localTime())
    case 46: .roomCame(number())
    case (Self.downloadKinds + Self.podcastKinds + Self.sidecarKinds)...:
      sessionAction(kind - Self.downloadKinds - Self.podcastKinds - Self.sidecarKinds)
    case (Self.downloadKinds + Self.podcastKinds)...:
      .sidecar(sidecarFact(kind - Self.downloadKinds - Self.podcastKinds))
    case Self.downloadKinds...: podcastAction(kind - Self.downloadKinds)
    case 48: .cleanup(.rename(RenameRequest(feed: maybe { FeedID(from: &$0.random) }, mode: pick([.plan, .apply]))))
    case 49: .cleaned(number(), .moved(madeFolders: many(upTo: 2) { $0.file().path }))
    case 50:
      .cleanup(
        .adopt(
          AdoptRequest(
            feed: maybe { FeedID(from: &$0.random) }, folder: maybe { $0.pick(["Show", "a/ü b", "/srv/x"]) },
            mode: pick([.plan, .apply]))))
    case 47: .upkeepDone(gone: many(upTo: 4) { $0.file().path })
    default: .timeCame
    }
  }

  private mutating func report(_ news: AttemptReport.News) -> AttemptReport {
    AttemptReport(
      attempt: AttemptID(download: id(), generation: number()), news: news, fetched: once(in: 2) ? 0 : length())
  }

  private mutating func networkPath() -> NetworkPath {
    NetworkPath(
      status: pick(NetworkPath.Status.allCases), interface: pick(NetworkPath.Interface.allCases),
      isMetered: once(in: 2), isConstrained: once(in: 2), device: maybe { $0.pick(["wlan0", "\"\\", "eth0.17@x"]) })
  }

  private mutating func localTime() -> LocalTime {
    LocalTime(
      seconds: Int64.random(in: LocalTime.seconds, using: &random),
      changes: many(upTo: LocalTime.maximumChanges) { random in
        LocalTime.Offset(
          from: random.moment(), seconds: Int64.random(in: LocalTime.seconds, using: &random.random))
      },
      knownUntil: once(in: 2) ? Timestamp(milliseconds: .max) : moment())
  }

  // MARK: Clients

  private mutating func intent(_ kind: Int) -> DownloadIntent {
    switch kind {
    case 0: .enqueue(enqueue())
    case 1: .pause(selection())
    case 2: .resume(selection())
    case 3: .cancel(selection())
    case 4: .retry(selection())
    case 5: .remove(selection(), deletingFile: once(in: 2))
    case 6: .verify(selection())
    case 7: .move(id(), pick([.top, .bottom, .before(id()), .after(id())]))
    default: .update(id(), update())
    }
  }

  private mutating func selection() -> DownloadIntent.Selection {
    pick([.one(id()), .many(many(upTo: 9) { $0.id() }), .all, .matching(condition(depth: 3))])
  }

  /// What a client can write: each key at most once, in the order in which they are read.
  private mutating func condition(depth: Int) -> Condition {
    let (least, most) = (maybe { $0.length() }, maybe { $0.length() })
    let (after, before) = (maybe { $0.moment() }, maybe { $0.moment() })
    let parts: [Condition?] = [
      maybe { .ids([$0.id(), $0.id()]) },
      maybe { .urls([$0.address().redacted]) },
      maybe { .feeds([FeedID(from: &$0.random)]) },
      maybe { .states($0.several(DownloadState.Kind.allCases)) },
      maybe { .reasons($0.several(WaitingReason.allCases)) },
      maybe { .podcasts([$0.label(), $0.label()]) },
      maybe { .origins($0.several(Origin.allCases)) },
      maybe { .media($0.several(MediaKind.allCases)) },
      maybe { _ in .titleContains(["Zoë \"x\"", "b"]) },
      maybe { _ in .not(.titleContains(["ad"])) },
      after == nil && before == nil ? nil : .published(after: after, before: before),
      maybe { .newerThanDays($0.draw(Condition.Limits.days)) },
      maybe { .olderThanDays($0.draw(Condition.Limits.days)) },
      least == nil && most == nil ? nil : .bytes(atLeast: least, atMost: most),
      maybe { .errorCodes($0.several(DownloadError.Code.allCases)) },
      depth == 1 ? nil : maybe { .not($0.once(in: 4) ? .titleContains(["c"]) : $0.condition(depth: depth - 1)) },
      depth == 1 ? nil : maybe { .any([$0.condition(depth: depth - 1), $0.condition(depth: 1)]) },
    ]
    let chosen = parts.compactMap { $0 }.filter { _ in once(in: 3) }
    return chosen.count == 1 ? chosen[0] : .all(chosen)
  }

  private mutating func several<Value>(_ values: [Value]) -> [Value] {
    let chosen = values.filter { _ in once(in: 2) }
    return chosen.isEmpty ? [values[0]] : chosen
  }

  private mutating func enqueue() -> DownloadIntent.Enqueue {
    let description = Download.Description(
      podcast: maybe { $0.label() }, title: maybe { $0.label() }, published: maybe { $0.publicationDate() },
      path: maybe { $0.path() }, headers: headers(), mirrors: many(upTo: 3) { $0.address() },
      integrity: maybe { _ in Integrity("sha256-" + String(repeating: "A", count: 43) + "=") ?? nil } ?? nil,
      expectedLength: maybe { $0.length() })
    return DownloadIntent.Enqueue(
      id: maybe { $0.id() }, address: address(), description: description, priority: pick(Priority.allCases),
      origin: pick(Origin.allCases), isPaused: once(in: 2), resume: maybe { $0.record() },
      network: pick(NetworkPolicy.allCases), session: sessionChoice())
  }

  private mutating func update() -> DownloadIntent.Update {
    var update = DownloadIntent.Update()
    update.address = maybe { $0.address() }
    update.priority = maybe { $0.pick(Priority.allCases) }
    update.mirrors = maybe { random in random.many(upTo: 3) { $0.address() } }
    update.headers = maybe { $0.headers() }
    update.title = maybe { $0.label() }
    update.podcast = label()
    update.network = maybe { $0.pick(NetworkPolicy.allCases) }
    update.session = sessionChoice()
    return update
  }

  mutating func publicationDate() -> PublicationDate {
    PublicationDate(moment(), offsetSeconds: 60 * Int64(draw(-1439...1439))) ?? PublicationDate(moment())
  }

  private mutating func patch() -> SettingsPatch {
    var patch = SettingsPatch()
    for setting in Settings.all where once(in: 2) {
      if let value = value(among: setting.values) { patch.set(setting, to: value) } else { patch.network = classes() }
    }
    if patch == SettingsPatch() { patch.checksum = true }
    return patch
  }

  /// A value that a setting takes; nil for classes of networks, of which a patch changes some.
  private mutating func value(among values: Setting.Values) -> Setting.Value? {
    switch values {
    case .boolean: .boolean(once(in: 2))
    case .integer(let range):
      .integer(pick([range.lowerBound, range.upperBound, Int64.random(in: range, using: &random)]))
    case .limit(let range): .integer(once(in: 2) ? 0 : range.upperBound)
    case .number(let range): .number(Double.random(in: range, using: &random))
    case .printable: .text("Podflux \"1\" \\ (test)")
    case .choice(let names): .text(pick(names))
    case .optionalChoice(let names): once(in: 2) ? Setting.Value.null : .text(pick(names))
    case .names(let names): .texts(names.filter { _ in once(in: 2) })
    case .timeZone: .text(pick(["publisher", "Europe/Vienna", "Etc/GMT+5"]))
    case .nameTemplate: .text(pick(["", "{podcast}/{title}", "[{date} ]{title} [[{index:3}]].{ext}"]))
    case .schedule: .schedule(many(upTo: 3) { $0.window() })
    case .networkClasses: nil
    }
  }

  private mutating func classes() -> NetworkClasses.Patch {
    var patch = NetworkClasses.Patch()
    patch.user = pick([.unmetered, .any])
    patch.auto = maybe { $0.pick([.unmetered, .any]) }
    patch.feeds = maybe { $0.pick([.unmetered, .any]) }
    patch.artwork = maybe { $0.pick([.unmetered, .any]) }
    if once(in: 2) { patch.podcasts = ["Zoë \"x\" \\": pick(NetworkPolicy.allCases), "b": .any, "": .inherit] }
    return patch
  }

  private mutating func window() -> ScheduleWindow {
    ScheduleWindow(
      days: several(ScheduleWindow.Weekday.allCases), from: draw(0...1439), to: draw(ScheduleWindow.minutes))
  }

  private mutating func filterAction(_ kind: Int) -> Action {
    let subject = pick(FilterSubject.allCases)
    return .filters(filterIntent(kind, over: subject), over: subject)
  }

  private mutating func filterIntent(_ kind: Int, over subject: FilterSubject) -> FilterIntent {
    let own = subject == .downloads ? "everything:hidden" : "played:no"
    return switch kind {
    case 0: .toggle(pick(["state:failed", "podcast:Show: \"x\"", "time:week", own].compactMap(FilterID.init)))
    case 1: .selectGroup(maybe { $0.pick(FilterCatalogue.groups(over: subject).map(\.id)) })
    case 2: .setText(label())
    case 3: .clear
    case 4: .save("My \"set\"")
    case 5: .apply("a/b")
    default: .delete("é")
    }
  }

  private mutating func options() -> CleanupRequest {
    CleanupRequest(
      mode: pick(CleanupOptions.Mode.allCases), missing: pick(CleanupOptions.Missing.allCases),
      orphans: maybe { $0.pick(CleanupOptions.Orphans.allCases) }, isDeep: once(in: 2))
  }

  // MARK: Services

  private mutating func news(_ kind: Int) -> AttemptReport.News {
    switch kind {
    case 0: .checkpoint(keptRecord())
    case 1: .restarting(discarding: length(), because: pick(RestartCause.allCases))
    case 2: .publishing(file(), kept: keptRecord(), tagging: tagging())
    case 3: .finished(file(), madeFolders: many(upTo: 3) { $0.path() })
    case 4: .failed(error(), kept: keptRecord(), retryAfterMilliseconds: number())
    case 5: .failed(error(), kept: nil)
    case 6: .stopped(kept: keptRecord())
    default: .stopped(kept: nil)
    }
  }

  private mutating func tagging() -> Download.Tagging? {
    pick([nil, .tagged(.init(length: length(), sha256: maybe { $0.hash() })), .untagged(because: text())])
  }

  private mutating func verification() -> Verification {
    Verification(key: number(), download: id(), file: file())
  }

  private mutating func step() -> CleanupStep {
    let finding: CleanupStep.Finding = pick([
      .missing(id(), file(), instead: maybe { $0.found() }), .moved(id(), from: file(), to: file()),
      .corrupt(id(), file(), found: found()),
      .modified(id(), from: file(), to: file()), .misnamed(id(), file(), to: file().path), .orphan(found()),
      .adoptable(found(), owner: id(), sha256: maybe { $0.hash() }),
      .episodeFile(
        found(),
        EpisodePairing(
          episodes: many(upTo: 3) { EpisodeID(number: $0.number() % 1000 + 1) }, evidence: [.title, .length],
          confidence: pick(EpisodePairing.Confidence.allCases))),
      .orphanPartial(FoundPartial(download: id(), length: length())),
      .partial(id(), planned: keptRecord(), length: length(), tailHash: hash()), .strayPartial(found()),
      .emptyFolder(place()), .foreign(place()), .expiredQuarantine(before: number(), bytes: length()),
    ])
    return CleanupStep(
      key: number(), finding: finding, decision: pick(CleanupStep.Decision.allCases), because: text(),
      status: pick(CleanupStep.Status.allCases))
  }

  private mutating func usage() -> CleanupRun.Usage {
    CleanupRun.Usage(media: length(), partial: length(), quarantine: length(), database: length(), other: length())
  }

  private mutating func found() -> FoundFile {
    FoundFile(place: place(), length: length(), inode: inode(), modifiedNanoseconds: maybe { $0.number() })
  }

  private mutating func place() -> EntryPath {
    EntryPath(bytes: many(upTo: 20) { UInt8.random(in: 1...255, using: &$0.random) })
  }

  mutating func file() -> PublishedFile {
    PublishedFile(
      path: path(), length: length(), inode: inode(), sha256: maybe { $0.hash() },
      modifiedNanoseconds: maybe { $0.number() })
  }

  mutating func error() -> DownloadError {
    DownloadError(
      pick(DownloadError.Code.allCases), text(), status: maybe { $0.draw(100...599) },
      cause: maybe { $0.pick(DownloadError.Code.allCases) }, shortBytes: maybe { $0.length() },
      outlook: maybe { $0.pick([.lasting, .passing]) }, isOfOtherHost: once(in: 4))
  }

  /// What a service keeps may hold a server's words.
  private mutating func keptRecord() -> ResumeRecord {
    var record = record()
    record.version = pick(Array(ResumeRecord.knownVersions))
    record.lastModified = maybe { $0.text() }
    record.bootID = once(in: 4) ? ResumeRecord.noBoot : record.bootID
    return record
  }

  private mutating func record() -> ResumeRecord {
    let total = length()
    return ResumeRecord(
      url: address().description, strongETag: maybe { _ in "\"v1\\\"" },
      tagHash: maybe { Int64.random(in: .min ... .max, using: &$0.random) }, rotatesTags: once(in: 2),
      lastModified: maybe { _ in "Sat, 21 Nov 2026 03:00:00 GMT" }, isDateStrong: once(in: 2), total: total,
      durable: Int64.random(in: 0...total, using: &random), tailHash: hash(), bootID: "boot-1",
      savedAt: moment(), digestStates: many(upTo: 3) { _ in "sha256:AAAA" })
  }

  // MARK: Values

  private mutating func id() -> DownloadID { DownloadID(from: &random) }

  mutating func number() -> Int64 { pick([0, 1, Int64.random(in: 0...(.max), using: &random), .max]) }

  mutating func length() -> Int64 { pick([0, Int64.random(in: 0...(1 << 53), using: &random), 1 << 53]) }

  private mutating func inode() -> UInt64 { pick([1, UInt64.random(in: 0...(.max), using: &random), .max]) }

  private mutating func hash() -> String { String(repeating: pick(["0f", "a9", "00"]), count: 32) }

  mutating func moment() -> Timestamp {
    Timestamp(milliseconds: Int64.random(in: 0...4_102_444_800_000, using: &random))
  }

  private mutating func headers() -> [Header] {
    ["Authorization", "Cookie", "X-A"].filter { _ in once(in: 2) }.map { Header(name: $0, value: "…") }
  }

  mutating func address() -> WebAddress {
    let text = pick(["http://example.org/a.mp3?t=1&u=%22", "https://[::1]:8443/é/@b#c", "http://h"])
    guard let address = try? WebAddress(text) else { preconditionFailure("\(text) is no address") }
    return address
  }

  private mutating func path() -> LibraryPath {
    let text = pick(["a.mp3", "Show/Zoë \"x\".mp3", "Ж/日本/e\u{301}.ogg"])
    guard let path = try? LibraryPath(validating: text) else { preconditionFailure("\(text) is no path") }
    return path
  }

  mutating func label() -> String { pick(["", "Title", "Zoë's \"best\" / \\ 😀", "a:b"]) }

  mutating func text() -> String { pick(["", "it is so", "\u{0}\u{1F}\n\t\"\\/\u{7F}\u{2028}é😀"]) }

  mutating func once(in number: Int) -> Bool { draw(1...number) == 1 }

  mutating func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[draw(0...(values.count - 1))] }

  mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? { once(in: 2) ? make(&self) : nil }

  mutating func many<Value>(upTo number: Int, _ make: (inout Self) -> Value) -> [Value] {
    (0..<draw(0...number)).map { _ in make(&self) }
  }
}
