import Testing

/// Limits how many tests of real processes, sockets and clocks run at once over all suites, and runs each on its own
/// thread.
///
/// Such tests block while they wait. Swift Testing's pool has one thread per core: two of these tests would stop all
/// others there. A test's own trait overrides its suite's.
public struct SystemTestTrait: SuiteTrait, TestTrait, TestScoping {
  /// How a test shares the machine with concurrent tests.
  enum Share: Sendable {
    /// A part of the machine.
    case part
    /// All: its process yields to every other one.
    case all
    /// Nothing: it changes what the whole process shares, or its result depends on how soon it runs.
    case whole
  }

  /// Whether the running test has its slot already: a suite and a test may both have the trait.
  @TaskLocal private static var hasSlot = false

  let share: Share

  /// The trait applies to each test of a suite, not to the suite: that would wait for its own tests.
  public var isRecursive: Bool { true }

  /// Each case of a test takes its own slot.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    let innermost = test.traits.lazy.compactMap { $0 as? Self }.last
    return testCase == nil || share != innermost?.share ? nil : self
  }

  /// Waits for a slot, and runs the case.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !Self.hasSlot else { return try await function() }
    await SystemTestSlots.shared.take(share)
    let result: Result<Void, any Error>
    do {
      try await Self.$hasSlot.withValue(true) {
        try await withTaskExecutorPreference(ThreadExecutor.shared, operation: function)
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await SystemTestSlots.shared.giveBack(share)
    try result.get()
  }
}

extension Trait where Self == SystemTestTrait {
  /// The test starts processes, serves sockets or waits for a clock. A few of these run at once.
  public static var systemTest: Self { Self(share: .part) }

  /// The test waits for a process of low priority (nice(1)): it takes no slot from other tests.
  public static var backgroundTest: Self { Self(share: .all) }

  /// The test changes state of the whole process (signals, environment, descriptors by number), or compares durations.
  /// No other system test runs beside it.
  public static var systemTestAlone: Self { Self(share: .whole) }
}
