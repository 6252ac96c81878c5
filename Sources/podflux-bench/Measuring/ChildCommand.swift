import Foundation

/// Runs a child process, a peer, to its end and measures it.
enum ChildCommand {
  /// The resources that a child used.
  struct Usage {
    let wallSeconds: Double
    /// User and system time.
    let cpuSeconds: Double
    /// The kernel counts from the fork on, so it is never less than the benchmark's own at that time.
    let peakResidentBytes: Int64
  }

  /// Runs a command, waits for its end and discards its output.
  static func run(_ words: [String]) throws -> Usage {
    let stopwatch = Stopwatch()
    let child = try spawn(words) { actions in
      for descriptor: Int32 in [0, 1, 2] {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
      }
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw MeasurementFailure("\(words[0]) cannot be waited for") }
    }
    let wall = stopwatch.seconds
    guard status == 0 else {
      throw MeasurementFailure("failed (wait status \(status)): \(words.joined(separator: " "))")
    }
    return Usage(
      wallSeconds: wall, cpuSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds,
      peakResidentBytes: Int64(usage.ru_maxrss) * 1024)
  }

  /// Starts a command with the descriptors that `redirect` sets up.
  static func spawn(_ words: [String], redirect: (inout posix_spawn_file_actions_t) -> Void) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    redirect(&actions)
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    let refusal = posix_spawn(&child, words[0], &actions, nil, &arguments, environ)
    guard refusal == 0 else {
      throw MeasurementFailure("\(words[0]) cannot be started: \(String(cString: strerror(refusal)))")
    }
    return child
  }
}

extension timeval {
  var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
