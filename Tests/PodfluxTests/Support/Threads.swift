import Foundation

/// Runs the body on this many threads at once and returns when all are done: for tests that block, which would starve
/// Swift Testing's thread pool.
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

/// Runs the body on a new thread and does not wait for it.
func inBackground(_ body: @escaping @Sendable () -> Void) {
  let thread = Thread { body() }
  thread.name = "background"
  thread.start()
}

extension Int {
  /// The next of so many numbers, shared among threads.
  mutating func nextNumber(below limit: Int) -> Int? {
    guard self < limit else { return nil }
    defer { self += 1 }
    return self
  }
}
