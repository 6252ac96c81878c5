import Flux
import PodfluxCore
import Synchronization
import WireProtocol

/// A committed turn for clients that observe actions: its actions, and what has followed from them.
///
/// ```swift
/// func committed(_ turn: ObservedTurn) { output.write(turn.lines) }
/// ```
///
/// `EngineClient.committed` gets turns in the order of their commits, each once and none left out.
package struct ObservedTurn: Sendable {
  package let record: TurnRecord<Action>
  /// The consequences of the actions, in the order of the actions.
  package let announcements: [Announcement]
  private let rendering = Rendering()

  init(_ record: TurnRecord<Action>, announcements: [Announcement]) {
    self.record = record
    self.announcements = announcements
  }

  /// Its lines: each action, with its results. All observers share the work and the memory.
  package var lines: [UInt8] {
    rendering.lines.withLock { lines in
      let rendered = lines ?? render()
      lines = rendered
      return rendered
    }
  }

  private func render() -> [UInt8] {
    let (revision, time) = (record.position.revision, record.clock.wall)
    var following = announcements[...]
    var encoder = LineEncoder()
    for (action, sequence) in zip(record.actions, record.firstSequence...) {
      encoder.action(action, sequence: sequence, revision: revision, time: time)
      while let next = following.first, next.sequence <= sequence {
        encoder.announcement(next, revision: revision, time: time)
        following.removeFirst()
      }
    }
    return encoder.bytes
  }
}

/// Renders a turn when its lines are first wanted.
private final class Rendering: Sendable {
  let lines = Mutex<[UInt8]?>(nil)
}
