import Foundation
import PodfluxPeople

/// Where an engine's socket lies: as a person has said, or where it is found by its library.
///
/// Not inside the library: a path of a Unix socket holds 107 bytes, and exFAT has no sockets.
struct SocketPath: Hashable, Sendable, CustomStringConvertible {
  /// How the path came about.
  enum Origin: Hashable {
    /// A person has named it.
    case given(ProcessConfiguration.Source)
    /// The path follows from the library: `$XDG_RUNTIME_DIR/podflux/<hash of the library>.sock`.
    case library
    /// The one of the system's service, whichever library that has.
    case system
  }

  /// The socket of the system's service.
  static let systemPath = "/run/podflux/engine.sock"
  /// The folder of sessions' sockets.
  private static let runtimeFolderVariable = "XDG_RUNTIME_DIR"

  let path: String
  let origin: Origin
  let address: UnixAddress

  var description: String { path }

  private init(_ path: String, _ origin: Origin) throws(SocketFailure) {
    guard let address = UnixAddress(path: path) else { throw .unusablePath(path) }
    self.path = path
    self.origin = origin
    self.address = address
  }

  /// The path that a person has named.
  init(given path: String, by source: ProcessConfiguration.Source = .option) throws(SocketFailure) {
    try self.init(path, .given(source))
  }

  /// Who has named it; nil if it was not named.
  var source: ProcessConfiguration.Source? { if case .given(let source) = origin { source } else { nil } }

  /// Whether an option names it, and none a library: then the engine there is meant, whichever library it has. Where
  /// none answers, nothing is known of that library, and a command must not do its work in another one.
  func isNamedAlone(beside place: LibraryPlace) -> Bool { source == .option && place.source != .option }

  /// Where an engine that is named no path listens.
  static func standard(
    library: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(SocketFailure) -> SocketPath {
    if let path = try ofLibrary(library, environment) { return path }
    return try SocketPath(systemPath, .system)
  }

  /// Where a client finds the engine: at the first of these where one listens.
  ///
  /// - Parameters:
  ///   - given: What a person has said. An option means no other place; the environment and a configuration say where
  ///     the engine of their library is, and the usual places count for other ones.
  ///   - library: The library's folder, if one was named.
  static func candidates(
    given: SocketPath?, library: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(SocketFailure) -> [SocketPath] {
    if let given, given.source == .option { return [given] }
    return [given].compactMap(\.self) + (try usual(library: library, environment))
  }

  private static func usual(
    library: String?, _ environment: [String: String]
  ) throws(SocketFailure) -> [SocketPath] {
    let system = try SocketPath(systemPath, .system)
    guard let library, let own = try ofLibrary(library, environment) else { return [system] }
    return [own, system]
  }

  private static func ofLibrary(
    _ library: String, _ environment: [String: String]
  ) throws(SocketFailure) -> SocketPath? {
    // A relative path is to be ignored (the XDG Base Directory specification).
    guard let folder = environment[runtimeFolderVariable], folder.hasPrefix("/"), mayBeOwn(folder) else { return nil }
    return try SocketPath("\(folder)/podflux/\(hash(of: realPath(library))).sock", .library)
  }

  /// Whether a folder is this user's, or is not there. That of sessions' sockets must be (the same specification).
  /// su(1) keeps the variable of another user, whom root would lock out of a folder made there.
  static func mayBeOwn(_ folder: String) -> Bool { PeerUser.owner(of: folder).map { $0 == geteuid() } ?? true }

  /// The path without symbolic links, also if the last folders are still to be made.
  static func realPath(_ path: String) -> String {
    var folder = path.absolutePath
    var missing: [String] = []
    while folder != "/" {
      if let found = realpath(folder, nil) {
        defer { free(found) }
        return ([String(cString: found)] + missing).joined(separator: "/")
      }
      missing.insert((folder as NSString).lastPathComponent, at: 0)
      folder = (folder as NSString).deletingLastPathComponent
    }
    return "/" + missing.joined(separator: "/")
  }

  /// FNV-1a (RFC 9923), 64 bits: a name of this length fits into every path.
  private static func hash(of text: String) -> String {
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
