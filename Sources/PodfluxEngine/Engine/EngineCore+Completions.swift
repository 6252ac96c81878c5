import PodfluxCore
import WireProtocol

/// Completions, for a program that hooks into them.
extension EngineCore {
  /// Tells of each download that these committed actions have completed: that an attempt has finished, or the last
  /// engine had published before it could say so.
  func tellCompletions(by actions: [Action]) {
    guard let tell = configuration.onCompletion, let library = session?.library else { return }
    for id in actions.flatMap(\.possiblyCompleted) {
      do {
        // Another action of the batch may have removed the download.
        guard let found = try library.database.read({ try $0.nameable(id) }), case .completed = found.download.state
        else { continue }
        var encoder = LineEncoder()
        encoder.completed(found, library: library.folder.path)
        tell(encoder.bytes)
      } catch {
        logger.error(
          "a completion cannot be read, and no command is told of it",
          metadata: ["download": "\(id)", "reason": "\(error)"])
      }
    }
  }

  /// Notes whether the engine is to end at once.
  func noteStop(in actions: [Action]) {
    for case .intent(.stop(let mode)) in actions where mode != .suspend {
      isDraining.store(mode == .drain, ordering: .releasing)
    }
  }
}

extension Action {
  /// The downloads that are completed now, unless their rows tell otherwise.
  fileprivate var possiblyCompleted: [DownloadID] {
    switch self {
    case .attempt(let report):
      if case .finished = report.news { [report.attempt.download] } else { [] }
    case .recovered(let recovery): recovery.published
    default: []
    }
  }
}
