import PodfluxCore
import PodfluxPeople

/// The notes of `podflux run` for people on stderr, one line each: what was done, how to see it, how to undo it.
struct RunNotes {
  /// The library's folder, as given.
  let library: String
  /// Whether the engine is a command's own: then a person types commands, and no lines.
  var isOfCommand = false

  // MARK: At the start

  /// For a person who starts the engine on a terminal, and sees nothing happen.
  func waiting(atEndOfInput end: RunCommand.EndOfInput) -> String {
    let ending =
      switch end {
      case .drain: "Ctrl-D finishes what can be finished, Ctrl-C stops now"
      case .exit: "Ctrl-D or Ctrl-C stops"
      }
    return """
      podflux: waiting for lines of JSON; to look around, type {"type":"snapshot"}, to download, \
      {"type":"downloads/enqueue","payload":{"url":"https://…"}}; \(ending)
      """
  }

  /// For a person who starts the engine's daemon on a terminal.
  func listening(at path: SocketPath) -> String {
    """
    podflux: listening at \(path); to look around, run echo '{"type":"snapshot"}' | \
    \(ShellCommand("attach", "--socket", path.path, library: library)); Ctrl-C stops
    """
  }

  // MARK: What was done

  /// A line about a notice.
  func line(for notice: Notice) -> String {
    switch notice {
    case .cleaned(let run): line(for: run)
    case .verified(let tally): line(for: tally)
    }
  }

  private func line(for run: CleanupRun) -> String {
    let task = run.isCleanup ? "the cleanup" : "the run"
    let name = run.cause == .start ? "\(task) at this start" : task
    let list = "what and why: \(ShellCommand("snapshot", library: library, #"{"stores":["cleanup"]}"#))"
    let reason = run.reason.map { ": \(isOfCommand ? $0.withCommandNames : $0)" } ?? ""
    switch run.stage {
    case .refused: return "podflux: \(name) was refused and changed nothing\(reason); \(list)"
    case .failed: return "podflux: \(name) could not look at everything and changed nothing\(reason); \(list)"
    case .waiting, .looking, .acting, .done, .cancelled:
      let deeds = CleanupDeeds(run)
      let parts =
        [deeds.sentence(name), list] + ways(hasQuarantined: deeds.hasQuarantined, hasLost: deeds.hasLost)
      return "podflux: " + parts.joined(separator: "; ")
    }
  }

  /// How to restore files that are in quarantine, and how to fetch again what has failed.
  func ways(hasQuarantined: Bool, hasLost: Bool) -> [String] {
    (hasQuarantined ? [restoring] : []) + (hasLost ? [again] : [])
  }

  private func line(for tally: VerificationTally) -> String {
    var found: [String] = []
    if tally.damaged > 0 { found.append("put \(count(tally.damaged, "damaged file")) into quarantine") }
    if tally.gone > 0 { found.append("found \(count(tally.gone, "file")) gone") }
    if tally.unreadable > 0 { found.append("could not read \(count(tally.unreadable, "file"))") }
    // What could not be read stays complete, and the verdict on it says why.
    let hasFailed = tally.damaged + tally.gone > 0
    let parts =
      ["podflux: verifying \(found.listed)"]
      + (hasFailed ? ["what and why: \(downloads(#"{"errorCode":"corrupt_file"}"#))"] : [])
      + ways(hasQuarantined: tally.damaged > 0, hasLost: hasFailed)
    return parts.joined(separator: "; ")
  }

  private var restoring: String {
    """
    to restore a file: \(ShellCommand("quarantine", "restore", "NAME", library: library)), \
    with a NAME that \(ShellCommand("quarantine", "list", library: library)) shows
    """
  }

  private var again: String {
    guard !isOfCommand else {
      return "to fetch it again: \(ShellCommand("retry", "--state", "failed", library: library))"
    }
    return """
      to fetch it again, send podflux run the line \
      {"type":"downloads/retry","payload":{"where":{"errorCode":"corrupt_file"}}}
      """
  }

  // MARK: At the end

  /// A line about unfinished downloads, and how to see why; nil if there are none.
  ///
  /// - Parameter remaining: The number of downloads in each state. Running ones count as queued.
  func line(for remaining: [DownloadState.Kind: Int]) -> String? {
    let stuck = [DownloadState.Kind.failed, .paused, .waiting].filter { remaining[$0, default: 0] > 0 }
    let queued = remaining[.queued, default: 0] + remaining[.running, default: 0]
    var parts: [String] = []
    if !stuck.isEmpty {
      let counts = stuck.map { "\(remaining[$0, default: 0]) \($0.rawValue)" }
      let states = stuck.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
      parts.append("ended with \(counts.listed); what and why: \(downloads("{\"state\":[\(states)]}"))")
    }
    if queued > 0 {
      parts.append("the next podflux run continues with \(count(queued, "queued download"))")
    }
    return parts.isEmpty ? nil : "podflux: " + parts.joined(separator: "; ")
  }

  private func downloads(_ condition: String) -> ShellCommand {
    ShellCommand(
      "snapshot", library: library, #"{"stores":["downloads"],"downloads":{"where":\#(condition),"unfiltered":true}}"#)
  }
}
