import Flux
import PodfluxCore
import Synchronization
import WireProtocol

/// A moment of the state, as an observer is shown it.
public struct ObservedMoment: Sendable {
  /// The stores that were asked for.
  public let snapshot: Snapshot
  /// The attempts that run, for observers of actions.
  public private(set) var live: [DownloadID: LiveAttempt]
  /// When it was.
  public let time: Timestamp
  private let rendering = Rendering()

  init(snapshot: Snapshot, live: [DownloadID: LiveAttempt], time: Timestamp) {
    self.snapshot = snapshot
    self.live = live
    self.time = time
  }

  /// The snapshot in JSON. Those who observe the same share the work and the memory.
  public var rendered: RenderedState {
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
