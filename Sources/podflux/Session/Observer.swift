import Flux
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
    var encoder = LineEncoder()
    /// The last sent progress of each running attempt.
    var progress: [DownloadID: LiveAttempt] = [:]
  }

  private let output: OutputWriter
  private let told = Mutex(Told())

  init(output: OutputWriter) {
    self.output = output
  }

  /// The client has sent `observe` again: everything counts as new.
  func beginAnew() {
    told.withLock { $0 = Told() }
  }

  /// Sends what has changed in the state.
  func tell(_ moment: ObservedMoment) {
    told.withLock { told in
      for (id, attempt) in moment.live.sorted(by: { $0.key < $1.key }) where told.progress[id] != attempt {
        told.encoder.progressed(id, attempt, revision: moment.snapshot.revision, time: moment.time)
      }
      told.progress = moment.live
      told.lines.append(moment.snapshot, to: &told.encoder)
      send(&told.encoder)
    }
  }

  /// Sends the actions of a turn, each with its results.
  func tell(_ turn: TurnRecord<Action>, _ announcements: [Announcement]) {
    guard output.hasRoom else { return }
    let (revision, time) = (turn.position.revision, turn.clock.wall)
    var following = announcements[...]
    told.withLock { told in
      for (action, sequence) in zip(turn.actions, turn.firstSequence...) {
        told.encoder.action(action, sequence: sequence, revision: revision, time: time)
        while let next = following.first, next.sequence <= sequence {
          told.encoder.announcement(next, revision: revision, time: time)
          following.removeFirst()
        }
      }
      send(&told.encoder)
    }
  }

  private func send(_ encoder: inout LineEncoder) {
    guard !encoder.bytes.isEmpty else { return }
    output.append(encoder.bytes)
    encoder.removeAll()
    output.flush()
  }
}
