import Flux

/// A minimal store: it counts, draws, refuses and fails on demand.
struct CounterStore: Store {
  enum Action: ActionProtocol {
    case add(Int)
    case draw
    case refuse
    case drawThenRefuse
    case breakTables
    case read(Int)

    var isReading: Bool {
      if case .read = self { true } else { false }
    }
  }

  struct Refusal: Error, Equatable {}

  enum Effect: Equatable {
    case added(Int, sequence: Int64)
    case settled(sequence: Int64)
  }

  enum Reply: Equatable {
    case sum(Int)
    case drawn(UInt64)
  }

  var sum = 0
  var reading = 0

  mutating func handle(_ action: Action, in turn: inout Turn<MemoryLedger, Effect, Never>, reading _: Void) throws
    -> Reply?
  {
    switch action {
    case .add(let number):
      sum += number
      turn.tables.pending.append(number)
      turn.perform(.added(number, sequence: turn.sequence))
      return .sum(sum)
    case .draw: return .drawn(turn.random.next())
    case .refuse: throw Refusal()
    case .drawThenRefuse:
      _ = turn.random.next()
      throw Refusal()
    case .breakTables: throw MemoryLedger.Failure.body
    case .read(let number):
      reading = number
      return nil
    }
  }

  mutating func endBatch(in turn: inout Turn<MemoryLedger, Effect, Never>, reading _: Void) throws {
    turn.perform(.settled(sequence: turn.sequence))
  }
}

/// A ledger in memory that can fail where a disk can.
final class MemoryLedger: Ledger {
  enum Failure: Error, Equatable {
    case body, record, commit
  }

  var committed: [Int] = []
  var positions: [LogPosition] = []
  var pending: [Int] = []
  var nextFailure: Failure?
  private var pendingPosition: LogPosition?

  func transaction<Result>(_ body: (MemoryLedger) throws -> Result) throws -> Result {
    pending = []
    pendingPosition = nil
    let result = try body(self)
    if nextFailure == .commit { throw takeFailure(.commit) }
    committed += pending
    if let pendingPosition { positions.append(pendingPosition) }
    return result
  }

  func record(_ position: LogPosition) throws {
    if nextFailure == .record { throw takeFailure(.record) }
    pendingPosition = position
  }

  private func takeFailure(_ failure: Failure) -> Failure {
    nextFailure = nil
    return failure
  }
}
