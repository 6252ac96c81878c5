import Dispatch
import EngineRuntime

/// The loop's timers, on the queue of turns. Used on that queue only.
final class TurnTimers {
  private let turns: DispatchQueue
  private var sources: [EngineTimer: DispatchSourceTimer] = [:]

  init(_ turns: DispatchQueue) {
    self.turns = turns
  }

  deinit {
    for source in sources.values { source.cancel() }
  }

  /// Calls back once after the delay, instead of what was set for this timer before. nil only cancels that.
  ///
  /// A source that is cancelled on its own queue calls back no more.
  func set(_ timer: EngineTimer, afterMilliseconds delay: Int64?, _ callBack: @escaping () -> Void) {
    sources.removeValue(forKey: timer)?.cancel()
    guard let delay else { return }
    let source = DispatchSource.makeTimerSource(queue: turns)
    source.setEventHandler { [unowned self] in
      sources.removeValue(forKey: timer)?.cancel()
      callBack()
    }
    source.schedule(deadline: .now() + .milliseconds(Int(delay)))
    sources[timer] = source
    source.resume()
  }
}
