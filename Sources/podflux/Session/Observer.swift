import PodfluxCore
import PodfluxEngine
import Synchronization
import WireProtocol

/// Sends a client the changes after `observe`.
///
/// It sends the latest state when there is room. Actions cannot be merged: those without room are left out, and the gap
/// in their numbers shows it.
final class Observer: Sendable {
  private struct Told {
    var lines = StateLines()
    /// The last sent progress of each running attempt.
    var progress: [DownloadID: LiveAttempt] = [:]
  }

  private let output: any ClientOutput
  private let told = Mutex(Told())

  init(output: any ClientOutput) {
    self.output = output
  }

  /// The client has sent `observe` or `unobserve`: everything counts as new.
  func beginAnew() {
    told.withLock { $0 = Told() }
  }

  /// Sends what has changed in the state.
  func tell(_ moment: ObservedMoment) {
    var encoder = LineEncoder()
    told.withLock { told in
      for (id, attempt) in moment.live.sorted(by: { $0.key < $1.key }) where told.progress[id] != attempt {
        encoder.progressed(id, attempt, revision: moment.snapshot.revision, time: moment.time)
      }
      told.progress = moment.live
      told.lines.append(moment.rendered, to: &encoder)
      send(encoder.bytes)
    }
  }

  /// Sends the actions of a turn, each with its results.
  func tell(_ turn: ObservedTurn) {
    guard output.hasRoom else { return }
    send(turn.lines)
  }

  private func send(_ lines: [UInt8]) {
    guard !lines.isEmpty else { return }
    output.append(lines)
    output.flush()
  }
}
