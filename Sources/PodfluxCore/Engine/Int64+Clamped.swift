extension Int64 {
  /// The sum; beyond the largest or the smallest number, that one. A file system, a server or a damaged row may name
  /// any amount, and adding it must not trap.
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
