import ArgumentParser
import Foundation
import PodfluxClient

/// Why an engine cannot listen at a socket, or a client cannot find one.
enum SocketFailure: Error, CustomStringConvertible {
  /// No Unix socket can have this path.
  case unusablePath(String)
  /// Another engine listens at this path.
  case isLive(String)
  /// The path leads to something other than a socket.
  case isNoSocket(String)
  /// The system refuses it.
  case refused(what: String, path: String, code: Int32)
  /// What the service manager has passed is no socket that listens.
  case unusableDescriptor(Int32)
  /// The engine that listens there has another library than the one that is meant.
  case otherLibrary(String, theirs: String, meant: String)
  /// The process that listens there is another user's.
  case otherUser(String, user: uid_t)
  /// No engine listens.
  case noEngine([SocketPath])
  /// An engine listens, and does not answer.
  case silent(SilentEngine)

  /// One sentence for people.
  var description: String {
    switch self {
    case .unusablePath(let path):
      """
      a Unix socket's path has 1 to \(UnixAddress.maximumBytes) bytes, and "\(path.prefix(200))" has \(path.utf8.count); \
      give another one with --socket
      """
    case .isLive(let path): "another engine listens at \(path); stop it, or give another path with --socket"
    case .isNoSocket(let path):
      "\(path) is there and is no socket; it is left as it is, give another path with --socket"
    case .refused(let what, let path, let code):
      "the socket \(path) cannot be \(what): \(String(cString: strerror(code)))"
    case .unusableDescriptor(let number):
      "descriptor \(number) of the service manager is no Unix socket that listens (ListenStream= with a path)"
    case .otherLibrary(let path, let theirs, let meant):
      "the engine at \(path) has the library \(theirs), and not \(meant); leave out --library, or --socket"
    case .otherUser(let path, let user):
      "the socket \(path) is user \(user)'s; nothing is sent there, name your own one with --socket"
    case .noEngine(let paths):
      """
      no engine listens at \(paths.map(\.path).joined(separator: " or at ")); start one with podflux daemon, or with \
      podflux run --socket
      """
    case .silent(let engine): engine.description
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .unusablePath, .isNoSocket, .refused, .unusableDescriptor, .otherLibrary, .otherUser: .wrongUsage
    case .isLive: .libraryInUse
    case .noEngine: .noEngine
    case .silent: .later
    }
  }
}

/// Prints to stderr what is wrong with a socket, and ends the command.
func giveUp(_ failure: SocketFailure) -> ExitCode {
  StandardError.print("podflux: \(failure)")
  return failure.exitCode
}
