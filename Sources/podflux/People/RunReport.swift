import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal
import WireProtocol

/// A run of the cleanup, of renaming or of adopting that has ended.
struct RunReport {
  private let library: String
  private let run: JSONObject
  private let steps: [JSONObject]

  /// The sentence for a person who has interrupted a run.
  static let afterInterruption = "what was done stays done, and the rest is left as it is"

  /// The time between two looks at a run, in milliseconds.
  private static let lookMilliseconds = 100
  /// How often a cancelled run is looked at: for ten seconds.
  private static let cancelLooks = 100

  /// Asks for a run, and waits for its end.
  init(of intent: Intent, with access: EngineAccess) throws {
    let turn = try CleanupTurn(with: access)
    let number = try Self.order(intent, with: access).required("run", JSONObject.integer)
    library = access.library
    do {
      run = try Self.wait(for: number, with: access)
    } catch ConnectionFailure.interrupted {
      try Self.cancel(number, with: access)
      throw ConnectionFailure.interrupted
    }
    steps = try Self.steps(ofRun: number, at: access.connection)
    extendLifetime(turn)
  }

  /// The engine keeps what its last run has done, and another command's has followed this one.
  private static let isReplaced = EngineRefusal(
    code: Refusal.Code.conflict.rawValue,
    message: "a cleanup of another command has followed this one, and what this one has done is not told any more; "
      + "run it once more")

  private static let isCancelled = EngineRefusal(
    code: Refusal.Code.conflict.rawValue, message: "another client has cancelled it before it began")

  /// At most one run waits at a time: a waiting run of another command, or of a killed one, goes first.
  private static func order(_ intent: Intent, with access: EngineAccess) throws -> JSONObject {
    var wasFree = false
    while true {
      do {
        return try access.order(intent)
      } catch let refusal as EngineRefusal where refusal.is(.conflict) && refusal.path == nil {
        let isFree = try !isAnotherWaiting(access)
        // The waiting run may have begun since. A second refusal without a waiting run has another cause.
        guard !isFree || !wasFree else { throw refusal }
        wasFree = isFree
        guard !access.signals.comes(withinMilliseconds: lookMilliseconds) else { throw ConnectionFailure.interrupted }
      }
    }
  }

  private static func isAnotherWaiting(_ access: EngineAccess) throws -> Bool {
    try access.cleanup()?.object("waiting") != nil
  }

  private static func wait(for number: Int64, with access: EngineAccess) throws -> JSONObject {
    while true {
      let cleanup = try access.cleanup()
      // The pass of a start may begin before a run that was asked for earlier.
      if try cleanup?.object("waiting")?.integer("id") != number {
        let run = try cleanup?.object("run")
        let id = try run?.integer("id") ?? 0
        guard id >= number else { throw isCancelled }
        guard let run, id == number else { throw isReplaced }
        if try run.moment("endedAt") != nil { return run }
      }
      if access.signals.comes(withinMilliseconds: lookMilliseconds) { throw ConnectionFailure.interrupted }
    }
  }

  /// Ends the run as far as it has come: otherwise the engine would go on with it, or the next one at its start. Its
  /// steps under way end first. A second signal ends the command at once.
  private static func cancel(_ number: Int64, with access: EngineAccess) throws {
    try access.connection.ignoreInterruptions()
    try access.order(.cleanup(.cancel))
    for _ in 0..<cancelLooks {
      let run = try access.cleanup()?.object("run")
      guard let run, try run.integer("id") == number, try run.moment("endedAt") == nil else { return }
      _ = try access.connection.nextEvent(upTo: .now() + .milliseconds(lookMilliseconds))
    }
  }

  /// The downloads of which something was found.
  func downloads(_ finding: CleanupStep.Finding.Kind) throws -> [String] {
    try steps.compactMap { try $0.string("finding") == finding.rawValue ? try $0.string("download") : nil }
  }

  /// How many files that no download knows the run has deleted, or as a plan would delete.
  var deletedOrphans: Int {
    get throws {
      try steps.count { step in
        try step.string("finding") == CleanupStep.Finding.Kind.orphan.rawValue
          && step.string("decision") == CleanupStep.Decision.delete.rawValue
      }
    }
  }

  /// The downloads that the run has made fail, and why.
  var failedDownloads: [(id: String, reason: String)] {
    get throws {
      try steps.compactMap { step in
        guard try step.string("decision") == CleanupStep.Decision.mark.rawValue,
          try step.string("status") == CleanupStep.Status.done.rawValue
        else { return nil }
        return (try step.required("download", JSONObject.string), try step.string("because") ?? "its file is gone")
      }
    }
  }

  private static func steps(ofRun number: Int64, at connection: ClientConnection) throws -> [JSONObject] {
    var (steps, page) = ([JSONObject](), PageRequest(limit: PageRequest.maximumLimit))
    repeat {
      let cleanup = try connection.snapshot(SnapshotQuery(stores: [.cleanup], stepsPage: page)).json.object("cleanup")
      guard try cleanup?.object("run")?.integer("id") == number else { throw isReplaced }
      steps += try cleanup?.objects("steps") ?? []
      page.after = try cleanup?.string("next").flatMap { PageCursor(text: $0) }
    } while page.after != nil
    return steps
  }

  /// Prints the run and its steps.
  ///
  /// - Parameters:
  ///   - isPlan: Whether nothing was to be changed.
  ///   - agreement: The sentence of a run that has found nothing.
  /// - Throws: the exit status of a run that could not do what it was asked for.
  func tell(on console: Console, isPlan: Bool, nothing agreement: String) throws {
    let state = try run.string("state")
    let hasFailed = state == "refused" || state == "failed"
    if console.options.json {
      console.result(run)
      for step in steps { console.result(step) }
    } else {
      if !steps.isEmpty { console.result(try table()) }
      if !hasFailed { console.note(try sentence(isPlan: isPlan, nothing: agreement)) }
      for way in try ways { console.note(way) }
    }
    guard !hasFailed else {
      let reason = try run.string("reason")?.withCommandNames ?? state ?? "it failed"
      console.complain("nothing was changed: \(reason)")
      throw ExitCode.failure
    }
    let undone = try steps.filter(Self.isUndone)
    for step in undone.prefix(Self.namedFailures) {
      console.complain("\(try Self.place(of: step)) is left: \(try step.string("because") ?? "it could not be done")")
    }
    if undone.count > Self.namedFailures { console.complain("\(undone.count - Self.namedFailures) more are left") }
    if !undone.isEmpty { throw ExitCode.failure }
  }

  /// How many steps are named that could not be done.
  private static let namedFailures = 10

  /// Whether something was to be done, and could not be.
  private static func isUndone(_ step: JSONObject) throws -> Bool {
    let decision = try step.string("decision").flatMap(CleanupStep.Decision.init)
    return try step.string("status") == CleanupStep.Status.left.rawValue && decision != .leave && decision != .offer
  }

  /// How to restore what was put into quarantine, and how to fetch again what has failed.
  private var ways: [String] {
    get throws {
      var (hasQuarantined, hasLost) = (false, false)
      for step in steps where try step.string("status") == CleanupStep.Status.done.rawValue {
        guard let decision = try step.string("decision").flatMap(CleanupStep.Decision.init) else { continue }
        let finding = try step.string("finding").flatMap(CleanupStep.Finding.Kind.init)
        if CleanupDeeds.isQuarantining(finding, decision) { hasQuarantined = true }
        if CleanupDeeds.isLosing(finding, decision) { hasLost = true }
      }
      return RunNotes(library: library, isOfCommand: true).ways(hasQuarantined: hasQuarantined, hasLost: hasLost)
    }
  }

  private static func place(of step: JSONObject) throws -> String {
    try step.string("path") ?? step.string("download") ?? ""
  }

  private func table() throws -> TextTable {
    switch try run.string("task") {
    case "adopt": try adoptionTable()
    case "rename": try renamingTable()
    default: try findingTable()
    }
  }

  /// Which file gets which name, or why it keeps its own.
  private func renamingTable() throws -> TextTable {
    var table = TextTable(
      [.init("status"), .init("path"), .init("new name"), .init("because")],
      narrowings: [.shrink(3, to: 12), .shrink(1, to: 24), .drop(3), .shrink(2, to: 24), .drop(0), .shrink(1, to: 12)])
    for step in steps {
      table.add([
        StyledText(try step.string("status") ?? ""), StyledText(try Self.place(of: step)),
        StyledText(try step.string("to") ?? ""), StyledText(try step.string("because") ?? ""),
      ])
    }
    return table
  }

  /// Which file is which episode's, by what, and how surely.
  private func adoptionTable() throws -> TextTable {
    var table = TextTable(
      [.init("sure"), .init("status"), .init("episode"), .init("path"), .init("because")],
      narrowings: [.shrink(4, to: 12), .shrink(3, to: 12), .drop(1)])
    for step in steps {
      let episodes = try step.strings("episodes")
      table.add([
        StyledText(try step.string("sure") ?? ""), StyledText(try step.string("status") ?? ""),
        StyledText(episodes.joined(separator: " ")), StyledText(try step.string("path") ?? ""),
        StyledText(try step.string("because") ?? ""),
      ])
    }
    return table
  }

  private func findingTable() throws -> TextTable {
    var table = TextTable(
      [.init("finding"), .init("decision"), .init("status"), .init("path"), .init("because")],
      narrowings: [.shrink(4, to: 24), .shrink(3, to: 12), .drop(2)])
    for step in steps {
      let path = try Self.place(of: step)
      let destination = try step.string("to").map { " → \($0)" } ?? ""
      table.add([
        StyledText(try step.string("finding") ?? ""), StyledText(try step.string("decision") ?? ""),
        StyledText(try step.string("status") ?? ""), StyledText(path + destination),
        StyledText(try step.string("because") ?? ""),
      ])
    }
    return table
  }

  private func sentence(isPlan: Bool, nothing agreement: String) throws -> String {
    var (found, done, left): (Int64, Int64, Int64) = (0, 0, 0)
    for member in try run.object("findings")?.members ?? [] {
      guard case .object(let tally) = member.value else { throw MalformedLine("a finding without numbers") }
      found += try tally.integer("count") ?? 0
      done += try tally.integer("done") ?? 0
      left += try tally.integer("left") ?? 0
    }
    if found == 0 { return agreement }
    return isPlan ? "\(found) found, nothing was changed" : "\(found) found, \(done) done, \(left) left as they are"
  }
}
