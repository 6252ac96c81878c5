import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal
import WireProtocol

/// `podflux clean`: compares rows and files.
struct CleanCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "Compares what the library knows with the files that are there, and repairs differences.",
    discussion: """
      podflux clean --plan
      podflux clean --orphans quarantine

      It moves and deletes no file that a person could miss, unless --orphans or the setting orphans says so.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Flag(help: "Print what would be done, and change nothing.")
  var plan = false

  @Flag(help: "Compare the contents of files too, which reads all of them.")
  var deep = false

  @Option(help: "What to do with files that no download knows; otherwise the setting orphans.")
  var orphans: CleanupOptions.Orphans?

  @Option(help: "What to do with downloads whose files are gone.")
  var missing = CleanupOptions.Missing.forget

  /// The time between two looks at the run, in milliseconds.
  private static let lookMilliseconds = 100

  func run() throws {
    try withEngine { access, console in
      let request = CleanupRequest(
        mode: plan ? .plan : .apply, missing: missing, orphans: orphans, isDeep: deep)
      let number = try access.order(.cleanup(.run(request))).required("run", JSONObject.integer)
      let run = try wait(for: number, with: access)
      try tell(run, access.connection, on: console)
    }
  }

  /// The run when it has ended.
  private func wait(for number: Int64, with access: EngineAccess) throws -> JSONObject {
    while true {
      let snapshot = try access.connection.snapshot(SnapshotQuery(stores: [.cleanup], stepsPage: .init(limit: 1)))
      let run = try snapshot.json.object("cleanup")?.object("run")
      if let run, try run.integer("id") ?? 0 >= number, try run.moment("endedAt") != nil { return run }
      if access.signals.comes(withinMilliseconds: Self.lookMilliseconds) { throw ConnectionFailure.interrupted }
    }
  }

  private func tell(_ run: JSONObject, _ source: ClientConnection, on console: Console) throws {
    let steps = try steps(of: source)
    if console.options.json {
      console.result(run)
      for step in steps { console.result(step) }
    } else {
      if !steps.isEmpty { console.result(try Self.table(of: steps)) }
      console.note(try CleanupSentence(run, isPlan: plan).description)
    }
    if let state = try run.string("state"), state == "refused" || state == "failed" {
      console.complain("nothing was changed: \(try run.string("reason") ?? state)")
      throw ExitCode.failure
    }
  }

  private func steps(of source: ClientConnection) throws -> [JSONObject] {
    var (steps, page) = ([JSONObject](), PageRequest(limit: PageRequest.maximumLimit))
    repeat {
      let cleanup = try source.snapshot(SnapshotQuery(stores: [.cleanup], stepsPage: page)).json.object("cleanup")
      steps += try cleanup?.objects("steps") ?? []
      page.after = try cleanup?.string("next").flatMap { PageCursor(text: $0) }
    } while page.after != nil
    return steps
  }

  private static func table(of steps: [JSONObject]) throws -> TextTable {
    var table = TextTable(
      [.init("finding"), .init("decision"), .init("status"), .init("path")], narrowings: [.shrink(3, to: 12), .drop(2)])
    for step in steps {
      let path = try step.string("path") ?? step.string("download") ?? ""
      let destination = try step.string("to").map { " → \($0)" } ?? ""
      table.add([
        StyledText(try step.string("finding") ?? ""), StyledText(try step.string("decision") ?? ""),
        StyledText(try step.string("status") ?? ""), StyledText(path + destination),
      ])
    }
    return table
  }
}

/// What a run of the cleanup has come to, in a sentence.
private struct CleanupSentence: CustomStringConvertible {
  let description: String

  init(_ run: JSONObject, isPlan: Bool) throws {
    var (found, done, left): (Int64, Int64, Int64) = (0, 0, 0)
    for member in try run.object("findings")?.members ?? [] {
      guard case .object(let tally) = member.value else { throw MalformedLine("a finding without numbers") }
      found += try tally.integer("count") ?? 0
      done += try tally.integer("done") ?? 0
      left += try tally.integer("left") ?? 0
    }
    if found == 0 {
      description = "rows and files agree"
    } else if isPlan {
      description = "\(found) found, nothing was changed"
    } else {
      description = "\(found) found, \(done) done, \(left) left as they are"
    }
  }
}

extension CleanupOptions.Orphans: ExpressibleByArgument {}
extension CleanupOptions.Missing: ExpressibleByArgument {}
