import Flux
import PodfluxCore

/// A turn as a journal has it: what a fold is handed.
package struct JournalTurn: Hashable, Sendable {
  /// Where the log stands behind it.
  package var position: LogPosition
  /// What the wall clock showed.
  package var time: Timestamp
  /// The handled actions, in order.
  package var actions: [Action]

  /// Makes a turn.
  package init(position: LogPosition, time: Timestamp, actions: [Action]) {
    self.position = position
    self.time = time
    self.actions = actions
  }

  /// The number of its first action; the others follow it one by one.
  package var firstSequence: Int64 { position.sequence - Int64(actions.count) + 1 }
}

/// Makes turns of a journal's lines. It holds one turn at a time.
///
/// A journal's lines are written before their turn is committed, so that a turn is believed only when something comes
/// behind it that could not be there otherwise: the next turn, or the next start at its revision. A turn whose commit
/// failed is followed by one of the same numbers, which takes its place.
package struct JournalAssembler: Sendable {
  /// What lines come to.
  package enum Event: Hashable, Sendable {
    /// An engine has opened the library, with this behind it.
    case start(JournalLine.Engine, LineStamp)
    /// A turn was committed.
    case turn(JournalTurn)
    /// Actions are missing: this one was to come, and that one came. What follows up to the next start is passed over.
    case gap(expected: LogPosition, found: LogPosition)
  }

  /// Where the log stands behind the turns that have been handed out; nil where that is unknown.
  private var position: LogPosition?
  private var pending: JournalTurn?

  /// Begins at the beginning; what comes before a first start is passed over.
  package init() {}

  /// Takes in the next line.
  package mutating func receive(_ line: JournalLine) -> [Event] {
    switch line {
    case .remark, .journal(.continued, _, _): return []
    case .journal(.opened, let engine, let stamp):
      let events = endTurn(at: stamp)
      position = stamp.position
      return events + [.start(engine, stamp)]
    case .end(let stamp):
      var events = endTurn(at: stamp)
      if let position, position != stamp.position { events.append(.gap(expected: position, found: stamp.position)) }
      position = nil
      return events
    case .action(let action, let stamp): return receive(action, stamp)
    }
  }

  /// The journal ends here, perhaps with the half of a line that a crash has cut off.
  ///
  /// If that is a line of a later turn, the last whole one was committed; if it may be one of the same, it was not.
  package mutating func finish(cutOff half: [UInt8]? = nil) -> [Event] {
    defer { (pending, position) = (nil, nil) }
    guard let turn = pending else { return [] }
    if let half { guard Self.revision(ofHalf: half).map({ $0 > turn.position.revision }) ?? false else { return [] } }
    return [.turn(turn)]
  }

  /// The revision of a line that is cut off, if that much of it is there.
  private static func revision(ofHalf line: [UInt8]) -> Int64? {
    let line = LineSeal.contents(of: line)
    let beginning = Array("{\"meta\":{\"revision\":".utf8)
    guard line.starts(with: beginning), let comma = line.firstIndex(of: UInt8(ascii: ",")) else { return nil }
    return Int64(String(decoding: line[beginning.count..<comma], as: UTF8.self))
  }

  /// The pending turn was committed if the log reaches it.
  private mutating func endTurn(at stamp: LineStamp) -> [Event] {
    guard let turn = pending else { return [] }
    pending = nil
    guard turn.position.revision <= stamp.revision else { return [] }
    position = turn.position
    return [.turn(turn)]
  }

  private mutating func receive(_ action: Action, _ stamp: LineStamp) -> [Event] {
    guard let position else { return [] }
    let last = pending?.position ?? position
    if pending?.position.revision == stamp.revision {
      if stamp.sequence == last.sequence + 1, stamp.time == pending?.time {
        pending?.position = stamp.position
        pending?.actions.append(action)
        return []
      }
      guard stamp.sequence == pending?.firstSequence else { return gap(behind: last, stamp) }
      begin(action, stamp)
      return []
    }
    guard stamp.revision == last.revision + 1, stamp.sequence == last.sequence + 1 else {
      return gap(behind: last, stamp)
    }
    let events: [Event] = pending.map { [.turn($0)] } ?? []
    self.position = last
    begin(action, stamp)
    return events
  }

  private mutating func begin(_ action: Action, _ stamp: LineStamp) {
    pending = JournalTurn(position: stamp.position, time: stamp.time, actions: [action])
  }

  private mutating func gap(behind last: LogPosition, _ stamp: LineStamp) -> [Event] {
    let turns: [Event] = pending.map { [.turn($0)] } ?? []
    (pending, position) = (nil, nil)
    return turns + [.gap(expected: last, found: stamp.position)]
  }
}
