import Dispatch
import Foundation
import Logging

/// Runs a program for each completed download, one at a time, in the order of completion.
///
/// The engine's queue does no more than hand a line over. How a run ends is a line of the log and nothing else.
final class CompletionHook: @unchecked Sendable {
  // `@unchecked`: mutable state is used on `queue` only.

  /// How often to look whether the end has become urgent, in milliseconds.
  private static let lookMilliseconds = 50
  /// How long to wait for a run that has been killed, in milliseconds.
  private static let lastMilliseconds = HookRun.graceMilliseconds + 300

  private let command: HookCommand
  private let logger: Logger
  private let queue = DispatchQueue(label: "podflux.hook")
  private let runner = DispatchQueue(label: "podflux.hook.runner")
  /// The completions that were handed over and whose program has not ended.
  private let outstanding = DispatchGroup()
  private var pending = LineSpool()
  private var running: HookRun?
  private var isEnding = false

  init(_ command: HookCommand, logger: Logger) {
    self.command = command
    self.logger = logger
  }

  /// Takes the line about a completed download.
  @Sendable func receive(_ line: [UInt8]) {
    outstanding.enter()
    queue.async { [self] in
      guard !isEnding else { return leave(1, because: "the engine ends") }
      do {
        try pending.append(line)
      } catch {
        leave(1, because: "\(error)")
      }
      startNext()
    }
  }

  /// Ends. Runs everything that waits before, unless that is not wanted or becomes urgent: then the present run is told
  /// to end, and killed.
  func finish(runningAll: Bool, isUrgent: () -> Bool) {
    while runningAll, !isUrgent() {
      if outstanding.wait(timeout: .now() + .milliseconds(Self.lookMilliseconds)) == .success { break }
    }
    queue.sync {
      isEnding = true
      leave(pending.removeAll(), because: "the engine ends")
      running?.end(as: .stopped)
    }
    _ = outstanding.wait(timeout: .now() + .milliseconds(Self.lastMilliseconds))
  }

  /// Gives completions up.
  private func leave(_ number: Int, because reason: String) {
    guard number > 0 else { return }
    logger.warning(
      "the command of --on-complete is not run for some completions",
      metadata: ["number": "\(number)", "reason": "\(reason)"])
    for _ in 0..<number { outstanding.leave() }
  }

  private func startNext() {
    guard running == nil, !isEnding else { return }
    do {
      guard let line = try pending.next() else { return }
      let run = HookRun()
      running = run
      runner.async { [self] in
        let output = HookOutput(logger)
        let end = run.run(command, input: line, output: output)
        log(end, output.last)
        queue.async {
          self.running = nil
          self.outstanding.leave()
          self.startNext()
        }
      }
    } catch {
      leave(pending.removeAll(), because: "\(error)")
    }
  }

  private func log(_ end: HookRun.End, _ last: String?) {
    let problem: String
    switch end {
    case .exited(0): return
    case .exited(let status): problem = "it exited with status \(status)"
    case .signalled(let number): problem = "signal \(number) ended it"
    case .timedOut: problem = "it took longer than \(command.limitSeconds) s"
    case .stopped: problem = "the engine ended before it"
    case .notStarted(let reason): problem = "it cannot be started: \(reason)"
    }
    var metadata: Logger.Metadata = ["command": "\(command.name)", "reason": "\(problem)"]
    if let last { metadata["said"] = "\(last)" }
    logger.warning("the command of --on-complete failed", metadata: metadata)
  }
}
