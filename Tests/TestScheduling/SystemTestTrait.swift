import Testing

/// Limits how many tests of real processes, sockets and clocks run at once, in all suites together, and runs each on a
/// thread of its own.
///
/// Such tests block while they wait. On the pool that Swift Testing runs tests on, which has one thread for each processor,
/// two of them would keep all other tests from going on.
public struct SystemTestTrait: SuiteTrait, TestTrait, TestScoping {
  /// What a test shares with others that run beside it.
  enum Share: Sendable {
    /// A part of the machine.
    case part
    /// Nothing: it changes what the whole process shares, or its result depends on how soon it runs.
    case whole
  }

  let share: Share
  public var isRecursive: Bool { true }

  /// Scopes each case of a test, not suites and tests around them: those would wait for what they contain.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await SystemTestSlots.shared.take(share)
    let result: Result<Void, any Error>
    do {
      result = .success(try await withTaskExecutorPreference(ThreadExecutor.shared, operation: function))
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

  /// The test changes what the whole process shares (signals, environment, descriptors by number), or compares durations. No
  /// other system test runs beside it.
  public static var systemTestAlone: Self { Self(share: .whole) }
}
