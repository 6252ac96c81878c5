import CLinux
import Foundation
import Synchronization

/// A child process with pipes at its stdin and stdout, and no other descriptor of this process but stderr.
struct Child {
  let pid: pid_t
  /// The child's stdin.
  let input: Int32
  /// The child's stdout, until another object reads it.
  let output: Int32

  private static let spawning = Mutex(())

  /// Starts a program: the first word is its path.
  ///
  /// One at a time: another child must not inherit these pipes before they are close-on-exec, or this one would never
  /// see the end of its input.
  init(_ words: [String], logPath: String = "/dev/null", environment: [String: String] = [:]) throws {
    self = try Self.spawning.withLock { _ in
      try Self.spawn(words, logPath: logPath, environment: environment)
    }
  }

  private init(pid: pid_t, input: Int32, output: Int32) {
    self.pid = pid
    self.input = input
    self.output = output
  }

  private static func spawn(_ words: [String], logPath: String, environment: [String: String]) throws -> Child {
    var stdin: [Int32] = [0, 0]
    var stdout: [Int32] = [0, 0]
    guard pipe(&stdin) == 0, pipe(&stdout) == 0 else {
      throw PodfluxProcess.Failure("no pipe: \(String(cString: strerror(errno)))")
    }
    for descriptor in stdin + stdout { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    Foundation.signal(SIGPIPE, SIG_IGN)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin[0], 0)
    posix_spawn_file_actions_adddup2(&actions, stdout[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    // Others' sockets and pipes would never end, and take its descriptors.
    guard linux_add_closing_from(&actions, 3) == 0 else {
      throw PodfluxProcess.Failure("no memory for a child's actions")
    }
    var argv = words.map { strdup($0) } + [nil]
    defer { argv.forEach { free($0) } }
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { envp.forEach { free($0) } }
    var child: pid_t = 0
    let refusal = posix_spawn(&child, words[0], &actions, nil, &argv, &envp)
    close(stdin[0])
    close(stdout[1])
    guard refusal == 0 else {
      close(stdin[1])
      close(stdout[0])
      throw PodfluxProcess.Failure("\(words[0]) cannot be started: \(String(cString: strerror(refusal)))")
    }
    return Child(pid: child, input: stdin[1], output: stdout[0])
  }

  /// Writes bytes to its stdin. Does nothing after the child has ended.
  func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(input, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        guard count > 0 || errno == EINTR else {
          throw PodfluxProcess.Failure("the child takes no input: \(String(cString: strerror(errno)))")
        }
        rest = rest.dropFirst(max(0, count))
      }
    }
  }
}
