import Foundation

/// Runs each job on a new thread, which may block.
final class ThreadExecutor: TaskExecutor {
  static let shared = ThreadExecutor()
  /// The default stack of a process's first thread, in bytes.
  private static let stackSize = 8 << 20

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    let thread = Thread { job.runSynchronously(on: executor) }
    thread.name = "system test"
    thread.stackSize = Self.stackSize
    thread.start()
  }
}
