import PodfluxCore

/// The steps that a survey has found, on their way to the store: page by page, each when the one before has been
/// committed.
///
/// One run at a time. Calls for another run change nothing, so that an effect may come late or twice.
package struct SurveyPages: Sendable {
  /// How many steps are one page: each page is one turn, and turns are to stay short.
  package static let stepsAtOnce = 256

  private var run: CleanupRun.Key?
  private var steps: ArraySlice<CleanupStep> = []
  /// How the survey ended; nil while it is under way.
  private var ending: CleanupNews?

  /// Makes pages of no run.
  package init() {}

  /// A survey begins, in the place of any other.
  package mutating func begin(_ run: CleanupRun.Key) {
    self = SurveyPages()
    self.run = run
  }

  /// The survey of the run has ended.
  package mutating func end(_ run: CleanupRun.Key, with steps: [CleanupStep], _ ending: CleanupNews) {
    guard self.run == run else { return }
    self.steps = steps[...]
    self.ending = ending
  }

  /// The next page, or the ending when all pages have been taken; nil while the survey is under way, and for another
  /// run.
  package mutating func next(of run: CleanupRun.Key, atMost count: Int = stepsAtOnce) -> CleanupNews? {
    guard self.run == run, let ending else { return nil }
    let page = steps.prefix(count)
    guard !page.isEmpty else {
      self = SurveyPages()
      return ending
    }
    steps.removeFirst(page.count)
    return .found(Array(page))
  }

  /// The run is over.
  ///
  /// - Returns: whether it was this one.
  package mutating func cancel(_ run: CleanupRun.Key) -> Bool {
    guard self.run == run else { return false }
    self = SurveyPages()
    return true
  }
}
