import CLinux
import Dispatch
import Foundation
import Synchronization

/// One run of a program: a child process in a group of its own, with a line on its stdin, and nothing else of this
/// process's files.
final class HookRun: Sendable {
  /// How a run has ended.
  enum End: Equatable {
    case exited(Int32)
    case signalled(Int32)
    case timedOut
    /// Told to end with the engine.
    case stopped
    case notStarted(String)
  }

  /// How long a run may take to end after SIGTERM, in milliseconds: then comes SIGKILL.
  static let graceMilliseconds = 300

  private struct State {
    /// The child; nil before it and after it. Its number is another process's only after that.
    var child: pid_t?
    /// Why it was told to end, if it was.
    var told: End?
  }

  private let state = Mutex(State())
  private let timers = DispatchQueue(label: "podflux.hook.timers")

  /// Runs a program, and returns when it has ended. What it writes to stdout and stderr goes to `output`, line by line.
  func run(_ command: HookCommand, input line: [UInt8], output: HookOutput) -> End {
    guard let stdin = Self.file(of: line) else { return .notStarted(String(cString: strerror(errno))) }
    defer { close(stdin) }
    var pipe: [Int32] = [-1, -1]
    guard Foundation.pipe(&pipe) == 0 else { return .notStarted(String(cString: strerror(errno))) }
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let (refusal, child) = Self.spawn(command.words, stdin: stdin, output: pipe[1], state)
    close(pipe[1])
    output.begin(reading: pipe[0])
    defer { output.end() }
    guard refusal == 0 else { return .notStarted(String(cString: strerror(refusal))) }
    timers.asyncAfter(deadline: .now() + .seconds(command.limitSeconds)) { [weak self] in self?.end(as: .timedOut) }
    return wait(for: child)
  }

  /// Tells the child and its group to end; does nothing if there is none.
  func end(as reason: End) {
    let isTold = state.withLock { state in
      guard let child = state.child, state.told == nil else { return false }
      state.told = reason
      _ = kill(-child, SIGTERM)
      return true
    }
    guard isTold else { return }
    timers.asyncAfter(deadline: .now() + .milliseconds(Self.graceMilliseconds)) {
      self.state.withLock { state in
        if let child = state.child { _ = kill(-child, SIGKILL) }
      }
    }
  }

  private func wait(for child: pid_t) -> End {
    // It is looked at first and taken only when no signal can be sent any more: until then the number stays its own.
    var info = siginfo_t()
    while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let told = state.withLock { state in
      // What it has left in its group ends with it, if it had to.
      if state.told != nil { _ = kill(-child, SIGKILL) }
      state.child = nil
      return state.told
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let number = status & 0x7F
    return told ?? (number == 0 ? .exited(status >> 8 & 0xFF) : .signalled(number))
  }

  // MARK: The child

  private static func spawn(
    _ words: [String], stdin: Int32, output: Int32, _ state: borrowing Mutex<State>
  ) -> (refusal: Int32, child: pid_t) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    let refusal = linux_add_closing_from(&actions, 3)
    guard refusal == 0 else { return (refusal, 0) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The engine blocks and ignores signals that the program may count on.
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    return state.withLock { state in
      var child: pid_t = 0
      let refusal = posix_spawn(&child, words[0], &actions, &attributes, &arguments, environ)
      if refusal == 0 { state.child = child }
      return (refusal, child)
    }
  }

  /// A file with a line, read from its beginning: unlike a pipe, it waits for no reader. nil with errno.
  private static func file(of line: [UInt8]) -> Int32? {
    let file = linux_memory_file("podflux-completion")
    guard file >= 0 else { return nil }
    guard pwrite(file, line, line.count, 0) == line.count else {
      close(file)
      return nil
    }
    return file
  }
}
