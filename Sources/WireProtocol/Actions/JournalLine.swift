import Flux
import PodfluxCore

/// Where a line of the stream of actions stands, and when its turn was taken.
package struct LineStamp: Hashable, Sendable {
  /// The revision that its turn makes, or that was reached where the line tells of no action.
  package var revision: Int64
  /// The action's number, or that of the last one before.
  package var sequence: Int64
  /// What the wall clock showed in its turn.
  package var time: Timestamp

  /// Makes a stamp.
  package init(revision: Int64, sequence: Int64, time: Timestamp) {
    self.revision = revision
    self.sequence = sequence
    self.time = time
  }

  /// Stands where the log does.
  package init(_ position: LogPosition, time: Timestamp) {
    self.init(revision: position.revision, sequence: position.sequence, time: time)
  }

  /// Where the log stands behind it.
  package var position: LogPosition { LogPosition(revision: revision, sequence: sequence) }
}

package enum JournalLine: Hashable, Sendable {
  /// An engine begins to write, here or in the file before this one.
  case journal(Part, of: Engine, LineStamp)
  case action(Action, LineStamp)
  /// An engine has ended as it should.
  case end(LineStamp)
  /// Something that follows from what other lines say: an announcement, a reading.
  case remark

  /// How an engine's lines begin in a file.
  package enum Part: Hashable, Sendable {
    /// The engine has opened its library; what the stamp says had been committed before.
    case opened
    /// The file before this one was full.
    case continued

    var lineType: String {
      switch self {
      case .opened: "engine/opened"
      case .continued: "engine/continued"
      }
    }
  }

  /// What an engine writes of itself.
  package struct Engine: Hashable, Sendable {
    /// What all its random draws follow from.
    package var seed: UInt64
    /// Podflux's version.
    package var version: String
    /// The library's path.
    package var library: String

    static let seedDigits = 16

    /// Describes an engine.
    package init(seed: UInt64, version: String, library: String) {
      self.seed = seed
      self.version = version
      self.library = library
    }
  }

  static let endType = "engine/closed"
}
