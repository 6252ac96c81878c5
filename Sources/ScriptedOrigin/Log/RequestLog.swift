import Dispatch
import Synchronization

/// The requests of an origin, updated while it answers them. Callers can read it or wait for a condition.
final class RequestLog: Sendable {
  /// With more requests than this, the older half is dropped.
  static let capacity = 100_000

  fileprivate struct State {
    var snapshot = Snapshot()
    var nextSequence = 0
    var nextConnection = 0
    var waiters: [ObjectIdentifier: Waiter] = [:]
  }

  fileprivate struct Waiter {
    let semaphore: DispatchSemaphore
    var isSignalled = false
  }

  private let state = Mutex(State())

  var snapshot: Snapshot {
    state.withLock { $0.snapshot }
  }

  /// Drops the requests and counts; open connections and active requests still count.
  func reset() {
    change { state in
      let old = state.snapshot
      state.snapshot = Snapshot()
      state.snapshot.activeConnections = old.activeConnections
      state.snapshot.peakConnections = old.activeConnections
      state.snapshot.activeRequests = old.activeRequests
      state.snapshot.peakConcurrentRequests = old.activeRequests
    }
  }
}

// MARK: - Facts

extension RequestLog {
  /// The number of a new connection.
  func connectionOpened() -> Int {
    change { state in
      state.snapshot.activeConnections += 1
      state.snapshot.acceptedConnections += 1
      state.snapshot.peakConnections = max(state.snapshot.peakConnections, state.snapshot.activeConnections)
      defer { state.nextConnection += 1 }
      return state.nextConnection
    }
  }

  func connectionClosed() {
    change { $0.snapshot.activeConnections -= 1 }
  }

  func requestReceived(connection: Int, method: String, target: String, headers: HeaderFields, form: [UInt8] = [])
    -> RequestRecord
  {
    change { state in
      let record = RequestRecord(
        sequence: state.nextSequence, connection: connection, method: method, target: target, headers: headers,
        form: form, receivedAt: .now)
      state.nextSequence += 1
      if state.snapshot.requests.count >= Self.capacity {
        state.snapshot.requests.removeFirst(Self.capacity / 2)
      }
      state.snapshot.requests.append(record)
      state.snapshot.activeRequests += 1
      state.snapshot.peakConcurrentRequests = max(
        state.snapshot.peakConcurrentRequests, state.snapshot.activeRequests)
      return record
    }
  }

  func headSent(_ sequence: Int, status: Int) {
    change { $0.update(sequence) { $0.status = status } }
  }

  func bodySent(_ sequence: Int, byteCount: Int) {
    change { state in
      let isKnown = state.update(sequence) { $0.bytesSent += byteCount }
      state.snapshot.totalBodyBytesSent += isKnown ? byteCount : 0
    }
  }

  func requestEnded(_ sequence: Int, _ outcome: RequestRecord.Outcome) {
    change { state in
      state.snapshot.activeRequests -= 1
      state.update(sequence) { record in
        record.outcome = outcome
        record.endedAt = .now
      }
    }
  }

  /// Changes the state, then wakes each waiting thread once.
  @discardableResult
  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, sleepers) = state.withLock { state in
      (body(&state), state.takeSleepers())
    }
    for semaphore in sleepers {
      semaphore.signal()
    }
    return value
  }
}

extension RequestLog.State {
  /// Changes a request's record, unless it was dropped; returns whether it still exists.
  @discardableResult
  fileprivate mutating func update(_ sequence: Int, _ body: (inout RequestRecord) -> Void) -> Bool {
    guard let first = snapshot.requests.first?.sequence, sequence >= first else { return false }
    body(&snapshot.requests[sequence - first])
    return true
  }

  fileprivate mutating func takeSleepers() -> [DispatchSemaphore] {
    guard !waiters.isEmpty else { return [] }
    var sleepers: [DispatchSemaphore] = []
    for (key, waiter) in waiters where !waiter.isSignalled {
      waiters[key]?.isSignalled = true
      sleepers.append(waiter.semaphore)
    }
    return sleepers
  }
}

// MARK: - Waiting

extension RequestLog {
  /// Blocks until `condition` holds, and returns its snapshot, or `nil` after the time limit.
  func wait(upTo limit: Duration, until condition: (Snapshot) throws -> Bool) rethrows -> Snapshot? {
    let deadline = DispatchTime.now() + .nanoseconds(Int(limit / .nanoseconds(1)))
    let semaphore = DispatchSemaphore(value: 0)
    let key = ObjectIdentifier(semaphore)
    state.withLock { $0.waiters[key] = Waiter(semaphore: semaphore) }
    defer { state.withLock { _ = $0.waiters.removeValue(forKey: key) } }

    while true {
      if let snapshot = try look(as: key, for: condition) { return snapshot }
      if semaphore.wait(timeout: deadline) == .timedOut {
        return try look(as: key, for: condition)
      }
    }
  }

  /// The snapshot, if it meets `condition`. Every later change signals the semaphore, so none is missed between
  /// checking and sleeping. The snapshot must not outlive the check, or the next change copies all requests.
  private func look(
    as waiter: ObjectIdentifier, for condition: (Snapshot) throws -> Bool
  ) rethrows -> Snapshot? {
    let snapshot = state.withLock { state in
      state.waiters[waiter]?.isSignalled = false
      return state.snapshot
    }
    return try condition(snapshot) ? snapshot : nil
  }
}
