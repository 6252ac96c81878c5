import Dispatch
import Foundation

/// SIGTERM and SIGINT: the first asks the engine to stop, the second ends the process at once.
final class SignalWatch {
  private var sources: [any DispatchSourceSignal] = []
  private let counter = Counter()

  /// Begins to watch; `action` is called on a queue of its own.
  init(onFirst action: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "podflux.signals", qos: .userInitiated)
    for number in [SIGTERM, SIGINT] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [counter] in
        if counter.next() == 1 { action() } else { _exit(EXIT_FAILURE) }
      }
      source.resume()
      sources.append(source)
    }
  }

  private final class Counter: @unchecked Sendable {
    // `@unchecked`: touched on the queue of signals only.
    private var value = 0

    func next() -> Int {
      value += 1
      return value
    }
  }
}
