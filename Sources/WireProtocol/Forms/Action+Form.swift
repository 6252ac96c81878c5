import Flux
import PodfluxCore

/// The wire form of every action: the line's type, one sentence about it, and its members in the order of the alphabet.
///
/// Clients' lines, the stream of actions and the journal are read and written by this form alone; `RequestForm.all` and
/// `ActionForm.facts` list a template of each, for reading.
extension Intent {
  /// Exchanges the members with a coder. Returns the intent with the members that the coder has given it.
  func exchanged<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) -> Self {
    switch self {
    case .downloads(let intent): return .downloads(try intent.exchanged(with: &coder))
    case .podcasts(let intent): return .podcasts(try intent.exchanged(with: &coder))
    case .sessions(let intent): return .sessions(try intent.exchanged(with: &coder))
    case .updateSettings(var patch):
      coder.type("settings/update", "Changes settings.")
      try coder.settings(&patch)
      return .updateSettings(patch)
    case .filters(let intent, var subject):
      let intent = try intent.exchanged(over: &subject, with: &coder)
      try coder.check { _ throws(Refusal) in try intent.check(over: subject) }
      return .filters(intent, over: subject)
    case .network(.report(var path)):
      coder.type("network/report", "Reports the network path; the engine stops detecting it.")
      try path.exchange(with: &coder)
      return .network(.report(path))
    case .network(.auto):
      coder.type("network/auto", "Lets the engine detect the network path again.")
      return self
    case .stop(.suspend):
      coder.type("engine/suspend", "Stops all transfers and closes the library until engine/resume.")
      return self
    case .stop(var mode):
      coder.type("engine/shutdown", "Stops the engine: now, or when no download can go on.")
      try coder.optional("mode", &mode, .shutdown, standard: .now)
      return .stop(mode)
    case .cleanup(.run(var request)):
      coder.type("cleanup/run", "Compares rows and files, and repairs differences.")
      try request.exchange(with: &coder)
      return .cleanup(.run(request))
    case .cleanup(.rename(var request)):
      coder.type("files/rename", "Gives files the names that they would get now.")
      try request.exchange(with: &coder)
      return .cleanup(.rename(request))
    case .cleanup(.adopt(var request)):
      coder.type("episodes/adopt", "Pairs files that are there with episodes.")
      try request.exchange(with: &coder)
      return .cleanup(.adopt(request))
    case .cleanup(.cancel):
      coder.type("cleanup/cancel", "Ends the cleanup that runs, and the one that waits.")
      return self
    }
  }
}

extension Action {
  /// Exchanges the members with a coder. Returns the action with the members that the coder has given it.
  func exchanged<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) -> Self {
    switch self {
    case .intent(let intent): return .intent(try intent.exchanged(with: &coder))
    case .attempt(var report):
      try report.exchange(with: &coder)
      return .attempt(report)
    case .refresh(var report):
      try report.exchange(with: &coder)
      return .refresh(report)
    case .recovered(var recovery):
      coder.type("engine/recovered", "The engine has opened its library.")
      try recovery.exchange(with: &coder)
      return .recovered(recovery)
    case .deleted(var key):
      coder.type("downloads/deleted", "The engine has deleted a file, or moved it into quarantine.")
      try coder.required("deletion", &key, .number)
      return .deleted(key)
    case .notDeleted(var key, var message):
      coder.type("downloads/notDeleted", "The engine cannot delete a file now; it tries again.")
      try coder.required("deletion", &key, .number)
      try coder.optional("message", &message, .text)
      return .notDeleted(key, because: message)
    case .verified(var verification, let verdict):
      var form = VerdictForm(verdict)
      coder.type("downloads/verified", "The engine has read a completed file again.")
      try form.exchange(of: &verification, with: &coder)
      return .verified(verification, form.verdict)
    case .surveyed(var run, let news):
      var form = NewsForm(news)
      coder.type("cleanup/looked", "A cleanup reports what it has found.")
      try form.exchange(of: &run, with: &coder)
      return .surveyed(run, form.news)
    case .cleaned(var step, let outcome):
      var form = OutcomeForm(outcome)
      coder.type("cleanup/cleaned", "The engine has carried out the part of a step that concerns files, or cannot.")
      try form.exchange(of: &step, with: &coder)
      return .cleaned(step, form.outcome)
    case .networkPath(var path):
      coder.type("network/changed", "The engine has detected another network path.")
      try path.exchange(with: &coder)
      return .networkPath(path)
    case .localTime(var time):
      coder.type("engine/localTime", "The engine has read the rules of the local time zone.")
      try time.exchange(with: &coder)
      return .localTime(time)
    case .roomCame(var bytes):
      coder.type("engine/roomCame", "As many bytes are free on the disk as downloads wait for.")
      try coder.required("freeBytes", &bytes, .number)
      return .roomCame(bytes)
    case .timeCame:
      coder.type("engine/timeCame", "A moment has come that a store waits for.")
      return self
    case .upkeepDone(var gone):
      coder.type("engine/lookedAfter", "A round of upkeep has ended; these folders do not exist.")
      try coder.required("gone", &gone, .goneFolders)
      return .upkeepDone(gone: gone)
    case .sidecar(var fact):
      try fact.exchange(with: &coder)
      return .sidecar(fact)
    case .session(var fact):
      try fact.exchange(with: &coder)
      return .session(fact)
    }
  }
}

/// The form of a fact, by which its lines are read and described.
struct ActionForm: Sendable {
  let type: String
  let sentence: String
  let schema: PayloadSchema
  /// The names of the members, as a refusal lists them.
  let keys: [String]
  private let template: Action

  /// - Parameter leading: The members that a refusal names first; the others follow in the order of the alphabet.
  init(_ template: Action, naming leading: [String] = []) {
    var describer = PayloadDescriber()
    _ = template.exchanged(with: &describer)
    (type, sentence, schema) = (describer.type, describer.sentence, describer.schema)
    keys = describer.keys(naming: leading)
    self.template = template
  }

  /// Reads the payload of a line.
  func action(_ payload: JSONObject, line: [UInt8] = []) throws(Refusal) -> Action {
    var reader = PayloadReader(fields: try Fields(payload, at: Request.payloadPath, knowing: keys), line: line)
    return try template.exchanged(with: &reader)
  }
}

extension ActionForm {
  /// The form of what services and the engine itself dispatch; nil if no fact has this type.
  static func fact(_ type: String) -> ActionForm? { factsByType[type] }

  private static let factsByType = Dictionary(uniqueKeysWithValues: facts.map { ($0.type, $0) })

  /// What services and the engine itself dispatch.
  static let facts: [ActionForm] =
    [
      AttemptReport.News.checkpoint(.template), .restarting(discarding: 0, because: .lengthChanged),
      .publishing(.template, kept: .template), .finished(.template), .failed(.template, kept: nil), .stopped(kept: nil),
      .pathRefused(kept: nil),
    ].map {
      ActionForm(.attempt(AttemptReport(attempt: .template, news: $0)), naming: ["attempt", "fetched", "id"])
    } + podcastFacts + sidecarFacts + sessionFacts + [
      ActionForm(.recovered(.template)), ActionForm(.networkPath(.template)), ActionForm(.localTime(.template)),
      ActionForm(.roomCame(0)), ActionForm(.timeCame), ActionForm(.upkeepDone(gone: [])), ActionForm(.deleted(0)),
      ActionForm(.notDeleted(0, because: nil)), ActionForm(.verified(.template, .intact)),
      ActionForm(.surveyed(0, .found([]))), ActionForm(.cleaned(0, .done)),
    ]
}

extension RequestForm {
  /// Every action and query, in the order in which refusals name them.
  static let all: [RequestForm] =
    downloads + podcasts + sessions + [
      Self(.updateSettings(.init())),
      Self(.filters(.toggle(.template))), Self(.filters(.selectGroup(nil))), Self(.filters(.setText(""))),
      Self(.filters(.clear)), Self(.filters(.save(""))), Self(.filters(.apply(""))), Self(.filters(.delete(""))),
      Self(.cleanup(.run(.init()))), Self(.cleanup(.cancel)),
      Self(.cleanup(.rename(.init())), naming: ["feed", "all", "mode"]),
      Self(.cleanup(.adopt(.init())), naming: ["feed", "all", "folder", "mode"]),
      Self(.network(.report(.template))), Self(.network(.auto)),
      Self(.stop(.suspend)),
      Self(.resume),
      Self(.stop(.now)),
      Self(asking: .snapshot(.init()), naming: SnapshotQuery.keys),
      Self(asking: .observe(.init()), naming: SnapshotQuery.keys), Self(asking: .unobserve),
    ]
}
