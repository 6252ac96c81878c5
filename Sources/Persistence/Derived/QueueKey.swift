import GRDB
import PodfluxCore

/// Identifies a lane (`QueueLane`) in the tables: the admissible downloads of one host that the same obstacles stop.
struct QueueKey: Hashable {
  let host: String
  /// Origin, policy and session, encoded as in `PackedTraits`.
  let kind: Int64

  /// The key of a host's downloads in a class.
  init(host: String, _ row: PackedTraits) {
    self.host = host
    kind = row.code & Self.kindMask
  }

  /// The key of a facet's downloads.
  init(_ facet: TraitCounts.Facet) {
    self.init(host: facet.host, facet.row)
  }

  /// What its downloads share.
  ///
  /// - Throws: `DamagedRow` if the kind is no valid code.
  func lane() throws -> QueueLane {
    guard let origin: Origin = PackedTraits.Field.origin.value(in: kind),
      let policy: NetworkPolicy = PackedTraits.Field.network.value(in: kind)
    else { throw DamagedRow(column: "lanes.kind") }
    return QueueLane(host: host, origin: origin, policy: policy, session: PackedTraits.session(in: kind))
  }

  // MARK: SQL

  static let kindMask =
    PackedTraits.Field.origin.mask | PackedTraits.Field.network.mask | PackedTraits.Field.session.mask

  /// The kind of a row, over the columns of `downloads`.
  static let kindColumn = "class & \(kindMask)"

  /// Whether a row of `downloads` can be a head.
  static let isAdmissible = "state = 'queued' AND held = 0"

  /// The rows of a key, the head first; arguments: host and kind.
  static let scope = "host = ? AND \(kindColumn) = ? AND \(isAdmissible) ORDER BY priority, position LIMIT 1"

  /// The heads of a session, over `lanes`; argument: its number, which is never 0.
  static let ofSession = """
    SELECT host, kind FROM lanes WHERE kind >> \(PackedTraits.Field.session.shift) = ?
      AND kind >> \(PackedTraits.Field.session.shift) <> 0 ORDER BY priority, position
    """

  /// Fills the empty table of heads.
  static let fill = """
    INSERT INTO lanes SELECT host, kind, priority, position FROM (
      SELECT host, \(kindColumn) AS kind, priority, position,
        row_number() OVER (PARTITION BY host, \(kindColumn) ORDER BY priority, position) AS place
      FROM downloads WHERE \(isAdmissible))
    WHERE place = 1
    """
}

extension QueueKey: StatementRow {
  /// Reads the columns host and kind.
  init(_ columns: inout ColumnReader) throws {
    host = try columns.next()
    kind = try columns.next()
  }
}
