import Glibc
import Synchronization

/// Prints the current seed when a precondition in the engine's stores traps.
enum TrapWatch {
  /// The seed that began last. Atomic, so that a signal handler may read it.
  private static let seed = Atomic<UInt64>(0)

  static func note(_ next: UInt64) {
    seed.store(next, ordering: .relaxed)
  }

  static func begin() {
    for number in [SIGILL, SIGTRAP] {
      signal(number) { _ in TrapWatch.tell() }
    }
  }

  /// Uses only async-signal-safe functions: no allocation, write(2), _exit(2).
  private static func tell() {
    write("podflux-sim: the engine trapped in seed ")
    writeDigits(of: seed.load(ordering: .relaxed))
    write(" or one that ran beside it\n")
    _exit(EXIT_FAILURE)
  }

  private static func write(_ text: StaticString) {
    _ = Glibc.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func writeDigits(of number: UInt64) {
    if number >= 10 { writeDigits(of: number / 10) }
    var digit = UInt8(ascii: "0") + UInt8(number % 10)
    _ = Glibc.write(STDERR_FILENO, &digit, 1)
  }
}
