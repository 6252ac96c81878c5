import Foundation
import PodfluxClient

/// A command's turn to have the engine compare rows and files: the engine keeps what its last run has done, so that the
/// next command asks for its own when this one has read that. An advisory lock (flock(2)) on the library's own folder,
/// which the kernel releases for a process that dies.
struct CleanupTurn: ~Copyable {
  /// Negative where the folder cannot be opened, or another command has kept its turn for too long: then there is none.
  private let descriptor: Int32

  private static let waitMilliseconds = 50
  /// For two minutes: a command that is stopped keeps its turn.
  private static let tries = 2400

  /// Waits for the other commands.
  ///
  /// - Throws: `ConnectionFailure.interrupted`.
  init(with access: EngineAccess) throws {
    let folder = open(access.library + "/.podflux", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for _ in 0..<Self.tries where folder >= 0 {
      if flock(folder, LOCK_EX | LOCK_NB) == 0 {
        descriptor = folder
        return
      }
      guard !access.signals.comes(withinMilliseconds: Self.waitMilliseconds) else {
        close(folder)
        throw ConnectionFailure.interrupted
      }
    }
    if folder >= 0 { close(folder) }
    descriptor = -1
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
