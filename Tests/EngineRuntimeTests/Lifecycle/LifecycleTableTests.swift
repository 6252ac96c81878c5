import EngineRuntime
import PodfluxCore
import Testing

private typealias Lifecycle = EngineLifecycle<Int>

/// Every state with its own transitions, by name.
private let states: [(name: String, state: Lifecycle)] = [
  ("working", .working),
  ("draining", .draining(.eof)),
  ("stopping", .stopping(.signal)),
  ("suspending", .suspending(suspension(.staySuspended(.work)))),
  ("suspending, draining", .suspending(suspension(.staySuspended(.drain(.eof))))),
  ("suspending, resuming", .suspending(suspension([], resuming: [3], .staySuspended(.work)))),
  ("suspending, ending", .suspending(suspension([], resuming: [3], .end(.signal)))),
  ("finished", .finished(.closing(.eof, .complete))),
  ("finished suspending", .finished(.suspending(suspension(.staySuspended(.work))))),
  ("finished resuming", .finished(.suspending(suspension([], resuming: [3], .staySuspended(.drain(.eof)))))),
  ("finished ending", .finished(.suspending(suspension([], resuming: [3], .end(.signal))))),
  ("suspended", .suspended([.client], .work)),
  ("suspended by both", .suspended([.client, .process], .work)),
  ("suspended, draining", .suspended([.client, .process], .drain(.eof))),
  ("closed", .closed(.shutdown, .complete)),
]

/// Every event, by name. Requests are 8 and 9.
private let events: [(name: String, event: Lifecycle.Event)] = [
  ("drain called", .stopCalled(.drain, .eof)),
  ("stop called", .stopCalled(.now, .signal)),
  ("drain requested", .stopRequested(.drain)),
  ("stop requested", .stopRequested(.now)),
  ("suspend", .suspend(.client, 8)),
  ("suspend process", .suspend(.process, 8)),
  ("resume", .resume(.client, 8)),
  ("resume process", .resume(.process, 8)),
  ("nothing left", .nothingLeft),
  ("deadline", .deadlinePassed),
  ("hopeless", .drainHopeless),
  ("delivery", .deliveryEnded),
  ("opened", .opened([8, 9])),
  ("not opened", .notOpened([8, 9], .isSuspended)),
]

private func suspension(_ next: Lifecycle.Continuation) -> Lifecycle.Suspension {
  suspension([.client], next)
}

private func suspension(
  _ suspenders: Set<Suspender>, resuming: [Int] = [], _ next: Lifecycle.Continuation
) -> Lifecycle.Suspension {
  Lifecycle.Suspension(suspenders: suspenders, waiting: [1, 2], resuming: resuming, next: next)
}

/// The expected result of an event in a state.
private struct Row {
  var state: Lifecycle
  var actions: [Lifecycle.Action]

  init(_ state: Lifecycle, _ actions: [Lifecycle.Action] = []) {
    self.state = state
    self.actions = actions
  }
}

private let stopped = Lifecycle.Answer.refused(.hasStopped)
private let asleep = Lifecycle.Answer.refused(
  Refusal(.suspended, "the process is being stopped by a signal; the engine goes on when it is continued"))

private let workingRows: [String: Row] = [
  "drain called": Row(.draining(.eof), [.order(.drain)]),
  "stop called": Row(.stopping(.signal), [.order(.now), .setDeadline]),
  "drain requested": Row(.draining(.shutdown)),
  "stop requested": Row(.stopping(.shutdown), [.setDeadline]),
  "suspend": Row(
    .suspending(.init(suspenders: [.client], waiting: [8], next: .staySuspended(.work))),
    [.order(.suspend), .setDeadline]),
  "suspend process": Row(
    .suspending(.init(suspenders: [.process], waiting: [8], next: .staySuspended(.work))),
    [.order(.suspend), .setDeadline]),
  "resume": Row(.working, [.answer([8], .done), .wake]),
  "resume process": Row(.working, [.answer([8], .done), .wake]),
  "nothing left": Row(.finished(.closing(.shutdown, .complete))),
]

private let drainingRows: [String: Row] = [
  "drain called": Row(.draining(.eof), [.order(.drain)]),
  "stop called": Row(.stopping(.eof), [.order(.now), .setDeadline]),
  "stop requested": Row(.stopping(.eof), [.setDeadline]),
  "suspend": Row(
    .suspending(.init(suspenders: [.client], waiting: [8], next: .staySuspended(.drain(.eof)))),
    [.order(.suspend), .setDeadline]),
  "suspend process": Row(
    .suspending(.init(suspenders: [.process], waiting: [8], next: .staySuspended(.drain(.eof)))),
    [.order(.suspend), .setDeadline]),
  "resume": Row(.draining(.eof), [.answer([8], .done), .wake]),
  "resume process": Row(.draining(.eof), [.answer([8], .done), .wake]),
  "nothing left": Row(.finished(.closing(.eof, .complete))),
  "hopeless": Row(.finished(.closing(.eof, .gaveUp))),
]

private let stoppingRows: [String: Row] = [
  "drain called": Row(.stopping(.signal), [.order(.drain)]),
  "stop called": Row(.stopping(.signal), [.order(.now)]),
  "suspend": Row(
    .suspending(.init(suspenders: [.client], waiting: [8], next: .end(.signal))), [.order(.suspend)]),
  "suspend process": Row(
    .suspending(.init(suspenders: [.process], waiting: [8], next: .end(.signal))), [.order(.suspend)]),
  "resume": Row(.stopping(.signal), [.answer([8], .done), .wake]),
  "resume process": Row(.stopping(.signal), [.answer([8], .done), .wake]),
  "nothing left": Row(.finished(.closing(.signal, .complete))),
  "deadline": Row(.finished(.closing(.signal, .complete))),
]

private let suspendingRows: [String: Row] = [
  "drain called": Row(.suspending(suspension(.staySuspended(.drain(.eof)))), [.order(.drain)]),
  "stop called": Row(.suspending(suspension(.end(.signal))), [.order(.now)]),
  "drain requested": Row(.suspending(suspension(.end(.shutdown)))),
  "stop requested": Row(.suspending(suspension(.end(.shutdown)))),
  "suspend": Row(
    .suspending(.init(suspenders: [.client], waiting: [1, 2, 8], next: .staySuspended(.work)))),
  "suspend process": Row(
    .suspending(.init(suspenders: [.client, .process], waiting: [1, 2, 8], next: .staySuspended(.work)))),
  "resume": Row(.suspending(suspension([], resuming: [8], .staySuspended(.work))), [.wake]),
  "resume process": Row(
    .suspending(suspension(.staySuspended(.work))), [.answer([8], .done), .wake]),
  "nothing left": Row(.finished(.suspending(suspension(.staySuspended(.work))))),
  "deadline": Row(.finished(.suspending(suspension(.staySuspended(.work))))),
]

private let suspendingDrainingRows: [String: Row] = [
  "drain called": Row(.suspending(suspension(.staySuspended(.drain(.eof)))), [.order(.drain)]),
  "stop called": Row(.suspending(suspension(.end(.eof))), [.order(.now)]),
  "drain requested": Row(.suspending(suspension(.end(.eof)))),
  "stop requested": Row(.suspending(suspension(.end(.eof)))),
  "suspend": Row(
    .suspending(.init(suspenders: [.client], waiting: [1, 2, 8], next: .staySuspended(.drain(.eof))))),
  "suspend process": Row(
    .suspending(.init(suspenders: [.client, .process], waiting: [1, 2, 8], next: .staySuspended(.drain(.eof))))),
  "resume": Row(.suspending(suspension([], resuming: [8], .staySuspended(.drain(.eof)))), [.wake]),
  "resume process": Row(
    .suspending(suspension(.staySuspended(.drain(.eof)))), [.answer([8], .done), .wake]),
  "nothing left": Row(.finished(.suspending(suspension(.staySuspended(.drain(.eof)))))),
  "deadline": Row(.finished(.suspending(suspension(.staySuspended(.drain(.eof)))))),
]

private let suspendingResumingRows: [String: Row] = [
  "drain called": Row(
    .suspending(suspension([], resuming: [3], .staySuspended(.drain(.eof)))), [.order(.drain)]),
  "stop called": Row(.suspending(suspension([], resuming: [3], .end(.signal))), [.order(.now)]),
  "drain requested": Row(.suspending(suspension([], resuming: [3], .end(.shutdown)))),
  "stop requested": Row(.suspending(suspension([], resuming: [3], .end(.shutdown)))),
  "suspend": Row(
    .suspending(.init(suspenders: [.client], waiting: [1, 2, 8], next: .staySuspended(.work))),
    [.answer([3], .done)]),
  "suspend process": Row(
    .suspending(.init(suspenders: [.process], waiting: [1, 2, 8], next: .staySuspended(.work))),
    [.answer([3], .done)]),
  "resume": Row(.suspending(suspension([], resuming: [3, 8], .staySuspended(.work))), [.wake]),
  "resume process": Row(.suspending(suspension([], resuming: [3, 8], .staySuspended(.work))), [.wake]),
  "nothing left": Row(.finished(.suspending(suspension([], resuming: [3], .staySuspended(.work))))),
  "deadline": Row(.finished(.suspending(suspension([], resuming: [3], .staySuspended(.work))))),
]

private let suspendingEndingRows: [String: Row] = [
  "drain called": Row(.suspending(suspension([], resuming: [3], .end(.signal))), [.order(.drain)]),
  "stop called": Row(.suspending(suspension([], resuming: [3], .end(.signal))), [.order(.now)]),
  "suspend": Row(
    .suspending(.init(suspenders: [.client], waiting: [1, 2, 8], next: .end(.signal))), [.answer([3], .done)]),
  "suspend process": Row(
    .suspending(.init(suspenders: [.process], waiting: [1, 2, 8], next: .end(.signal))), [.answer([3], .done)]),
  "resume": Row(.suspending(suspension([], resuming: [3, 8], .end(.signal))), [.wake]),
  "resume process": Row(.suspending(suspension([], resuming: [3, 8], .end(.signal))), [.wake]),
  "nothing left": Row(.finished(.suspending(suspension([], resuming: [3], .end(.signal))))),
  "deadline": Row(.finished(.suspending(suspension([], resuming: [3], .end(.signal))))),
]

private let finishedRows: [String: Row] = [
  "suspend": Row(.finished(.closing(.eof, .complete)), [.answer([8], stopped)]),
  "suspend process": Row(.finished(.closing(.eof, .complete)), [.answer([8], stopped)]),
  "resume": Row(.finished(.closing(.eof, .complete)), [.answer([8], .done), .wake]),
  "resume process": Row(.finished(.closing(.eof, .complete)), [.answer([8], .done), .wake]),
  "delivery": Row(.closed(.eof, .complete), [.giveUp, .close(.eof)]),
]

private let finishedSuspendingRows: [String: Row] = [
  "drain called": Row(.finished(.suspending(suspension(.staySuspended(.drain(.eof)))))),
  "stop called": Row(.finished(.suspending(suspension(.end(.signal))))),
  "drain requested": Row(.finished(.suspending(suspension(.end(.shutdown))))),
  "stop requested": Row(.finished(.suspending(suspension(.end(.shutdown))))),
  "suspend": Row(
    .finished(.suspending(.init(suspenders: [.client], waiting: [1, 2, 8], next: .staySuspended(.work))))),
  "suspend process": Row(
    .finished(
      .suspending(.init(suspenders: [.client, .process], waiting: [1, 2, 8], next: .staySuspended(.work))))),
  "resume": Row(.finished(.suspending(suspension([], resuming: [8], .staySuspended(.work)))), [.wake]),
  "resume process": Row(
    .finished(.suspending(suspension(.staySuspended(.work)))), [.answer([8], .done), .wake]),
  "delivery": Row(.suspended([.client], .work), [.giveUp, .answer([1, 2], .done), .endTurn]),
]

private let finishedResumingRows: [String: Row] = [
  "stop called": Row(.finished(.suspending(suspension([], resuming: [3], .end(.eof))))),
  "drain requested": Row(.finished(.suspending(suspension([], resuming: [3], .end(.eof))))),
  "stop requested": Row(.finished(.suspending(suspension([], resuming: [3], .end(.eof))))),
  "suspend": Row(
    .finished(
      .suspending(.init(suspenders: [.client], waiting: [1, 2, 8], next: .staySuspended(.drain(.eof))))),
    [.answer([3], .done)]),
  "suspend process": Row(
    .finished(
      .suspending(.init(suspenders: [.process], waiting: [1, 2, 8], next: .staySuspended(.drain(.eof))))),
    [.answer([3], .done)]),
  "resume": Row(.finished(.suspending(suspension([], resuming: [3, 8], .staySuspended(.drain(.eof))))), [.wake]),
  "resume process": Row(
    .finished(.suspending(suspension([], resuming: [3, 8], .staySuspended(.drain(.eof))))), [.wake]),
  "delivery": Row(.suspended([], .drain(.eof)), [.giveUp, .answer([1, 2], .done), .endTurn, .open([3])]),
]

private let finishedEndingRows: [String: Row] = [
  "suspend": Row(
    .finished(.suspending(.init(suspenders: [.client], waiting: [1, 2, 8], next: .end(.signal)))),
    [.answer([3], .done)]),
  "suspend process": Row(
    .finished(.suspending(.init(suspenders: [.process], waiting: [1, 2, 8], next: .end(.signal)))),
    [.answer([3], .done)]),
  "resume": Row(.finished(.suspending(suspension([], resuming: [3, 8], .end(.signal)))), [.wake]),
  "resume process": Row(.finished(.suspending(suspension([], resuming: [3, 8], .end(.signal)))), [.wake]),
  "delivery": Row(
    .closed(.signal, .complete),
    [.giveUp, .answer([1, 2], .done), .endTurn, .answer([3], stopped), .close(.signal)]),
]

private let suspendedRows: [String: Row] = [
  "drain called": Row(.closed(.eof, .complete), [.close(.eof)]),
  "stop called": Row(.closed(.signal, .complete), [.close(.signal)]),
  "drain requested": Row(.closed(.shutdown, .complete), [.close(.shutdown)]),
  "stop requested": Row(.closed(.shutdown, .complete), [.close(.shutdown)]),
  "suspend": Row(.suspended([.client], .work), [.answer([8], .done)]),
  "suspend process": Row(.suspended([.client, .process], .work), [.answer([8], .done)]),
  "resume": Row(.suspended([], .work), [.open([8]), .wake]),
  "resume process": Row(.suspended([.client], .work), [.answer([8], .done), .wake]),
  "opened": Row(.working, [.begin, .answer([8, 9], .done), .wake]),
  "not opened": Row(.suspended([.client], .work), [.answer([8, 9], .refused(.isSuspended))]),
]

private let suspendedByBothRows: [String: Row] = [
  "drain called": Row(.suspended([.client, .process], .drain(.eof))),
  "stop called": Row(.closed(.signal, .complete), [.close(.signal)]),
  "drain requested": Row(.closed(.shutdown, .complete), [.close(.shutdown)]),
  "stop requested": Row(.closed(.shutdown, .complete), [.close(.shutdown)]),
  "suspend": Row(.suspended([.client, .process], .work), [.answer([8], .done)]),
  "suspend process": Row(.suspended([.client, .process], .work), [.answer([8], .done)]),
  "resume": Row(.suspended([.process], .work), [.answer([8], asleep), .wake]),
  "resume process": Row(.suspended([.client], .work), [.answer([8], .done), .wake]),
  "opened": Row(.working, [.begin, .answer([8, 9], .done), .wake]),
  "not opened": Row(.suspended([.client, .process], .work), [.answer([8, 9], .refused(.isSuspended))]),
]

private let suspendedDrainingRows: [String: Row] = [
  "drain called": Row(.suspended([.client, .process], .drain(.eof))),
  "stop called": Row(.closed(.eof, .complete), [.close(.eof)]),
  "drain requested": Row(.closed(.eof, .complete), [.close(.eof)]),
  "stop requested": Row(.closed(.eof, .complete), [.close(.eof)]),
  "suspend": Row(.suspended([.client, .process], .drain(.eof)), [.answer([8], .done)]),
  "suspend process": Row(.suspended([.client, .process], .drain(.eof)), [.answer([8], .done)]),
  "resume": Row(.suspended([.process], .drain(.eof)), [.answer([8], asleep), .wake]),
  "resume process": Row(.closed(.eof, .complete), [.answer([8], .done), .close(.eof)]),
  "opened": Row(.draining(.eof), [.begin, .order(.drain), .answer([8, 9], .done), .wake]),
  "not opened": Row(
    .closed(.eof, .complete), [.answer([8, 9], .refused(.isSuspended)), .close(.eof)]),
]

private let closedRows: [String: Row] = [
  "suspend": Row(.closed(.shutdown, .complete), [.answer([8], stopped)]),
  "suspend process": Row(.closed(.shutdown, .complete), [.answer([8], stopped)]),
  "resume": Row(.closed(.shutdown, .complete), [.answer([8], stopped)]),
  "resume process": Row(.closed(.shutdown, .complete), [.answer([8], stopped)]),
  "opened": Row(.closed(.shutdown, .complete), [.answer([8, 9], stopped)]),
  "not opened": Row(.closed(.shutdown, .complete), [.answer([8, 9], stopped)]),
]

/// The table. An event without a row changes nothing, and only answers requests for a library that is open.
private let rowTable: [String: [String: Row]] = [
  "working": workingRows,
  "draining": drainingRows,
  "stopping": stoppingRows,
  "suspending": suspendingRows,
  "suspending, draining": suspendingDrainingRows,
  "suspending, resuming": suspendingResumingRows,
  "suspending, ending": suspendingEndingRows,
  "finished": finishedRows,
  "finished suspending": finishedSuspendingRows,
  "finished resuming": finishedResumingRows,
  "finished ending": finishedEndingRows,
  "suspended": suspendedRows,
  "suspended by both": suspendedByBothRows,
  "suspended, draining": suspendedDrainingRows,
  "closed": closedRows,
]

@Suite("The engine's lifecycle")
struct LifecycleTableTests {
  @Test("Every event in every state follows the table, and events without a row do nothing")
  func table() {
    let names = Set(states.map(\.name))
    #expect(Set(rowTable.keys) == names)
    for (name, state) in states {
      for (eventName, event) in events {
        var next = state
        let actions = next.handle(event)
        let expected = rowTable[name]?[eventName] ?? Row(state, answers(to: event))
        #expect(next == expected.state, "\(name), \(eventName)")
        #expect(actions == expected.actions, "\(name), \(eventName)")
      }
    }
  }

  @Test("No state loses a request, and none answers one twice")
  func requests() {
    for (name, state) in states {
      for (eventName, event) in events {
        var next = state
        let actions = next.handle(event)
        let answered = actions.flatMap { action -> [Int] in
          switch action {
          case .answer(let requests, _), .open(let requests): requests
          default: []
          }
        }
        #expect(
          (kept(in: next) + answered).sorted() == (kept(in: state) + asked(by: event)).sorted(), "\(name), \(eventName)"
        )
      }
    }
  }

  private func answers(to event: Lifecycle.Event) -> [Lifecycle.Action] {
    switch event {
    case .opened(let requests): [.answer(requests, .done)]
    case .notOpened(let requests, let refusal): [.answer(requests, .refused(refusal))]
    default: []
    }
  }

  private func kept(in state: Lifecycle) -> [Int] {
    switch state {
    case .suspending(let suspension), .finished(.suspending(let suspension)):
      suspension.waiting + suspension.resuming
    case .working, .draining, .stopping, .finished, .suspended, .closed: []
    }
  }

  private func asked(by event: Lifecycle.Event) -> [Int] {
    switch event {
    case .suspend(_, let request), .resume(_, let request): [request]
    case .opened(let requests), .notOpened(let requests, _): requests
    case .stopCalled, .stopRequested, .nothingLeft, .deadlinePassed, .drainHopeless, .deliveryEnded: []
    }
  }

  @Test("Requests are accepted while the library is open or suspended by a client, and refused at the end")
  func intake() {
    let expected: [String: Lifecycle.Intake] = [
      "working": .open, "draining": .open, "stopping": .open, "suspended": .open, "suspended by both": .open,
      "suspended, draining": .open, "closed": .refuse,
    ]
    for (name, state) in states { #expect(state.intake == expected[name] ?? .nothing, "\(name)") }
    #expect(Lifecycle.suspended([.process], .work).intake == .nothing)
    #expect(Lifecycle.suspended([], .work).intake == .open)
  }
}
