import Flux
import PodfluxCore
import Synchronization
import WireProtocol

/// The state at one moment, for clients that observe it: all parts are of the same revision.
///
/// ```swift
/// func observed(_ moment: ObservedMoment) { show(moment.snapshot.downloads?.counts) }
/// ```
///
/// `EngineClient.observed` gets moments in the order of time. Those that the client had no room for are left out: it
/// gets the latest one later.
package struct ObservedMoment: Sendable {
  /// The stores that were asked for.
  package let snapshot: Snapshot
  /// The attempts that run, for observers of actions.
  package private(set) var live: [DownloadID: LiveAttempt]
  /// When it was.
  package let time: Timestamp
  private let rendering = Rendering()

  init(snapshot: Snapshot, live: [DownloadID: LiveAttempt], time: Timestamp) {
    self.snapshot = snapshot
    self.live = live
    self.time = time
  }

  /// The snapshot in JSON. Those who observe the same share the work and the memory.
  package var rendered: RenderedState {
    rendering.state.withLock { state in
      let rendered = state ?? RenderedState(snapshot)
      state = rendered
      return rendered
    }
  }

  var withoutAttempts: ObservedMoment {
    var moment = self
    moment.live = [:]
    return moment
  }
}

/// Renders a snapshot when it is first wanted so.
private final class Rendering: Sendable {
  let state = Mutex<RenderedState?>(nil)
}
