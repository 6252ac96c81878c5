import Dispatch
import PodfluxCore
import PodfluxEngine

/// Tells people and the service manager of the engine that this process owns.
final class ProcessOwner: EngineOwner {
  private let notes: RunNotes
  private let notifier: Notifier?
  private let isClosed = DispatchSemaphore(value: 0)

  init(libraryPath: String, notifier: Notifier?) {
    notes = RunNotes(library: libraryPath)
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
    StandardError.printSoon(notes.line(for: notice))
  }

  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {
    if let line = notes.line(for: remaining) { StandardError.printSoon(line) }
    isClosed.signal()
  }
}
