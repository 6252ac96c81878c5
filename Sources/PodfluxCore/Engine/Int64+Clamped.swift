extension Int64 {
  /// The sum, or the end of the numbers that it lies beyond: amounts of which one may be whatever a file system, a server or
  /// a damaged row says are still amounts together.
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
