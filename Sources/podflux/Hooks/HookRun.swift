import Dispatch
import Foundation
import Processes
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
    var pipe: [Int32] = [-1, -1]
    guard Foundation.pipe(&pipe) == 0 else { return .notStarted("\(ChildProgram.StartFailure())") }
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let started = Result { () throws(ChildProgram.StartFailure) in try start(command.words, with: line, output: pipe[1])
    }
    close(pipe[1])
    output.begin(reading: pipe[0])
    defer { output.end() }
    let child: pid_t
    switch started {
    case .success(let number?): child = number
    case .success(nil): return .stopped
    case .failure(let failure): return .notStarted("\(failure)")
    }
    timers.asyncAfter(deadline: .now() + .seconds(command.limitSeconds)) { [weak self] in self?.end(as: .timedOut) }
    return wait(for: child)
  }

  /// Tells the child and its group to end. If the child has not been started, it is not.
  func end(as reason: End) {
    let isRunning = state.withLock { state in
      guard state.told == nil else { return false }
      state.told = reason
      guard let child = state.child else { return false }
      _ = kill(-child, SIGTERM)
      return true
    }
    guard isRunning else { return }
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
      // If the program was told to end, the rest of its process group is killed with it.
      if state.told != nil { _ = kill(-child, SIGKILL) }
      state.child = nil
      return state.told
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let number = status & 0x7F
    return told ?? (number == 0 ? .exited(status >> 8 & 0xFF) : .signalled(number))
  }

  /// Starts the child; nil if the run was told to end before.
  private func start(
    _ words: [String], with line: [UInt8], output: Int32
  ) throws(ChildProgram.StartFailure) -> pid_t? {
    let stdin = try MemoryFile.open("podflux-completion", with: line)
    defer { close(stdin) }
    return try state.withLock { (state) throws(ChildProgram.StartFailure) in
      guard state.told == nil else { return nil }
      let child = try ChildProgram(words: words).start(descriptors: [stdin, output, output])
      state.child = child
      return child
    }
  }
}
