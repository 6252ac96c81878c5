import Foundation

/// Runs the body on so many threads at once and returns when all are done: for tests that block, which would starve the
/// pool that Swift Testing runs on.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  let group = DispatchGroup()
  for number in 1...count {
    group.enter()
    let thread = Thread {
      body()
      group.leave()
    }
    thread.name = "lane \(number)"
    thread.start()
  }
  group.wait()
}

/// Runs the body on a thread of its own and does not wait for it.
func inBackground(_ body: @escaping @Sendable () -> Void) {
  let thread = Thread { body() }
  thread.name = "background"
  thread.start()
}

extension Int {
  /// The next of so many numbers, for lanes that share them out among each other.
  mutating func nextNumber(below limit: Int) -> Int? {
    guard self < limit else { return nil }
    defer { self += 1 }
    return self
  }
}
