import CLinux
import Glibc

/// A program that is run as a child process of its own group. It inherits nothing of this process but what it is given:
/// no descriptor, no blocked or ignored signal.
///
/// ```swift
/// let child = try ChildProgram(words: ["/bin/cat"]).start(descriptors: [input, output, output])
/// ```
///
/// Who starts it waits for it, with waitpid(2): until then its number is no other process's.
package struct ChildProgram: Sendable {
  /// Why a program could not be started.
  package struct StartFailure: Error, CustomStringConvertible {
    /// The number in errno.
    package let code: Int32

    /// Takes errno.
    package init(code: Int32 = errno) {
      self.code = code
    }

    /// The text of strerror(3) for the code.
    package var description: String { String(cString: strerror(code)) }
  }

  /// The path of the program, and its arguments.
  package let words: [String]
  /// `NAME=value` for each variable; nil for those of this process.
  package let environment: [String]?

  /// - Parameter words: The path of the program, which is not looked for in `PATH`, and its arguments.
  package init(words: [String], environment: [String]? = nil) {
    self.words = words
    self.environment = environment
  }

  /// Starts it. Cost: about a millisecond, most of it the system's.
  ///
  /// - Parameter descriptors: What the child has as its descriptors 0, 1, 2 and so on. One may stand there more than
  ///   once. They stay open here; all others are closed there.
  /// - Returns: The child's number.
  package func start(descriptors: [Int32]) throws(StartFailure) -> pid_t {
    guard let path = words.first else { throw StartFailure(code: ENOENT) }
    // Numbers of this process may be those of the child: they are moved out of the way first.
    let held = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, Int32(descriptors.count)) }
    let refusal = held.contains { $0 < 0 } ? errno : 0
    defer { for number in held where number >= 0 { close(number) } }
    guard refusal == 0 else { throw StartFailure(code: refusal) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, source) in held.enumerated() { posix_spawn_file_actions_adddup2(&actions, source, Int32(number)) }
    let closing = linux_add_closing_from(&actions, Int32(descriptors.count))
    guard closing == 0 else { throw StartFailure(code: closing) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    Self.separate(&attributes)
    var arguments = words.map { strdup($0) } + [nil]
    var variables = (environment ?? []).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var child: pid_t = 0
    let code =
      environment == nil
      ? posix_spawn(&child, path, &actions, &attributes, &arguments, environ)
      : posix_spawn(&child, path, &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw StartFailure(code: code) }
    return child
  }

  /// A group of its own, and each signal as a new program expects it: this process blocks and ignores some.
  private static func separate(_ attributes: inout posix_spawnattr_t) {
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  }
}
