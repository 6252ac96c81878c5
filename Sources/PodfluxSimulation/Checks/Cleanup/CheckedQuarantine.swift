import Flux

/// What was in quarantine when a cleanup had been checked: a file may expire between two cleanups.
struct CheckedQuarantine {
  private var checkedAt: Timestamp?
  /// When the file was put aside that is there for longest; nil without files.
  private var oldest: Timestamp?

  /// How long a cleanup takes at most from its look at the quarantine to the check, in milliseconds.
  private static let runMilliseconds: Int64 = 600_000

  /// Nothing.
  init() {}

  init(_ world: World) {
    checkedAt = world.clock.wall
    oldest = world.disk.quarantined.map(\.at).min()
  }

  /// Whether all files expired behind that cleanup's look that the next one finds put aside before a moment, in
  /// milliseconds since 1970.
  func expires(by limit: Int64, at world: World) -> Bool {
    guard let checkedAt, let oldest else { return false }
    let elapsed = world.clock.wall.milliseconds - checkedAt.milliseconds + Self.runMilliseconds
    return oldest.milliseconds >= limit - elapsed
  }
}
