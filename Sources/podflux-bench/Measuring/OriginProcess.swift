import Foundation
import ScriptedOrigin

/// A `podflux-bench serve` child.
final class OriginProcess {
  let port: Int
  private let child: pid_t
  private let input: FileHandle

  init() throws {
    let (stdin, stdout) = (Pipe(), Pipe())
    input = stdin.fileHandleForWriting
    let ends = [stdin.fileHandleForWriting, stdout.fileHandleForReading].map(\.fileDescriptor)
    // No other process may inherit the writing end, or the child would never see the end of its input.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    child = try ChildCommand.spawn(["/proc/self/exe", "serve"]) { actions in
      posix_spawn_file_actions_adddup2(&actions, stdin.fileHandleForReading.fileDescriptor, 0)
      posix_spawn_file_actions_adddup2(&actions, stdout.fileHandleForWriting.fileDescriptor, 1)
    }
    try stdin.fileHandleForReading.close()
    try stdout.fileHandleForWriting.close()
    let line = String(decoding: stdout.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
      throw MeasurementFailure("the origin did not start: \"\(line)\"")
    }
    self.port = port
  }

  deinit {
    // The child ends with its input.
    try? input.close()
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
  }

  /// The URL of a path, which begins with a slash.
  func url(_ path: String, host: String = "127.0.0.1") -> String {
    "http://\(host):\(port)\(path)"
  }

  /// The content of `/file/LENGTH/SEED/…`.
  static func content(length: Int, seed: Int) -> Body {
    .audio(length: length, seed: UInt64(seed))
  }
}
