import Glibc

/// A lock for sections that wait for a device: a thread that finds it taken sleeps at once (pthread_mutex_lock(3)).
///
/// `Mutex` first spins for some 20 µs, which pays where sections are short. Here, where one thread syncs a folder or
/// renames a file, that is CPU time for nothing, for each file.
final class SleepingLock<Value: Sendable>: Sendable {
  private nonisolated(unsafe) var value: Value
  private nonisolated(unsafe) let handle: UnsafeMutablePointer<pthread_mutex_t>

  init(_ value: Value) {
    self.value = value
    handle = .allocate(capacity: 1)
    handle.initialize(to: pthread_mutex_t())
    let failure = pthread_mutex_init(handle, nil)
    precondition(failure == 0, "a lock cannot be made: \(String(cString: strerror(failure)))")
  }

  deinit {
    pthread_mutex_destroy(handle)
    handle.deallocate()
  }

  /// Runs the body with the value while no other thread does. The body must not take the lock again.
  func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(handle)
    defer { pthread_mutex_unlock(handle) }
    return try body(&value)
  }
}
