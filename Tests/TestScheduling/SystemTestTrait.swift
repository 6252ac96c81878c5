import Testing

/// Limits how many tests of real processes, sockets and clocks run at once, in all suites together, and runs each on a
/// thread of its own.
///
/// Such tests block while they wait. On the pool that Swift Testing runs tests on, which has one thread for each processor,
/// two of them would keep all other tests from going on. A test's own trait counts instead of its suite's.
public struct SystemTestTrait: SuiteTrait, TestTrait, TestScoping {
  /// What a test shares with others that run beside it.
  enum Share: Sendable {
    /// A part of the machine.
    case part
    /// All: its process yields to every other one.
    case all
    /// Nothing: it changes what the whole process shares, or its result depends on how soon it runs.
    case whole
  }

  /// Whether the running test has its slot already: a suite and a test may both want one.
  @TaskLocal private static var hasSlot = false

  let share: Share

  /// A suite's trait is one of its tests, not of the suite: that would wait for what it contains.
  public var isRecursive: Bool { true }

  /// Each case of a test has its turn.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    let innermost = test.traits.lazy.compactMap { $0 as? Self }.last
    return testCase == nil || share != innermost?.share ? nil : self
  }

  /// Waits for the case's turn, and runs it.
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

  /// The test waits for a process that has only what processor time is left by others (nice(1)): it takes no other test's turn.
  public static var backgroundTest: Self { Self(share: .all) }

  /// The test changes what the whole process shares (signals, environment, descriptors by number), or compares durations. No
  /// other system test runs beside it.
  public static var systemTestAlone: Self { Self(share: .whole) }
}
