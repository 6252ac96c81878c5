import CLinux
import Foundation
import PodfluxCore
import Synchronization
import TestSupport

@testable import Reachability

/// Collects a monitor's reports, and waits for them.
final class Reports: Sendable {
  private struct State {
    var paths: [NetworkPath] = []
    var times: [ContinuousClock.Instant] = []
  }

  private let state = Mutex(State())
  private let news = DispatchSemaphore(value: 0)

  /// Everything so far.
  var paths: [NetworkPath] { state.withLock { $0.paths } }
  /// The time of each report.
  var times: [ContinuousClock.Instant] { state.withLock { $0.times } }

  func add(_ path: NetworkPath) {
    state.withLock { state in
      state.paths.append(path)
      state.times.append(.now)
    }
    news.signal()
  }

  /// Waits for this many reports in all.
  func wait(for count: Int, upTo seconds: Double = 10) throws {
    let deadline = DispatchTime.now() + seconds
    while paths.count < count {
      guard news.wait(timeout: deadline) == .success else {
        throw PodfluxProcess.Failure("no \(count) reports within \(seconds) s: \(paths)")
      }
    }
  }
}

extension NetworkNamespace {
  /// Calls the body on a new thread whose sockets belong to this namespace.
  func inside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [path] in
      let outcome = Result {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let refusal = linux_enter_network_namespace(file)
        guard refusal == 0 else { throw PodfluxProcess.Failure("setns: \(String(cString: strerror(refusal)))") }
        return try body()
      }
      result.withLock { $0 = outcome }
      end.signal()
    }
    end.wait()
    guard let outcome = result.withLock({ $0 }) else { throw PodfluxProcess.Failure("no outcome") }
    return try outcome.get()
  }
}
