import Dispatch
import PodfluxCore
import PodfluxEngine

/// Tells people and the service manager of the engine that this process owns.
final class ProcessOwner: EngineOwner {
  private let notes: RunNotes
  private let notifier: Notifier?
  private let isClosed = DispatchSemaphore(value: 0)

  /// Whether it is the engine of a command, which itself says what it has done and what is left at its end.
  private let isCommand: Bool

  init(libraryPath: String, notifier: Notifier?, isCommand: Bool) {
    self.isCommand = isCommand
    notes = RunNotes(library: libraryPath, isOfCommand: isCommand)
    self.notifier = notifier
  }

  func waitUntilClosed() {
    isClosed.wait()
  }

  // MARK: EngineOwner

  func ready(revision: Int64) {
    notifier?.ready()
  }

  func told(_ notice: Notice) {
    // A command itself says what the run has done that it has asked for.
    if isCommand, case .cleaned(let run) = notice, run.cause == .client { return }
    StandardError.printSoon(notes.line(for: notice))
  }

  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {
    if !isCommand, let line = notes.line(for: remaining) { StandardError.printSoon(line) }
    isClosed.signal()
  }
}
