import Testing

/// Open defects that the simulator shows since it runs the product's own code. Each is to be mended, and its entry to go.
enum KnownIssues {
  /// Fewer than 3 of 100 lives fail: files that were moved by copying, to names that no row can keep, or whose inode
  /// another row names (`podflux-sim run --seed 142 --turns 100` and all faults but paths and suspensions).
  static let oddities: Comment = "some lives with odd files break an invariant of cleaning up"
}
