import Foundation
import PodfluxEngine

/// Another user, to whom a library belongs that root is about to open.
///
/// The folders that root's engine makes there are root's: the owner's engine, such as a service's, can change nothing
/// in them.
struct LibraryOwner: Error, Hashable, CustomStringConvertible {
  let user: uid_t
  private let group: gid_t

  /// Nil if this process is not root's, or the library is root's own, or is still to be made together with its folder.
  /// The owner of `.podflux` counts, which an engine has made; of a folder without it the folder's own.
  ///
  /// On a disk that gives all files to one user (exFAT, some shares) root's are that user's as well: nil there, too.
  /// The state of such a library may lie elsewhere, and its folder counts by the same rule.
  ///
  /// - Parameter state: The folder of the state that a person has named; nil for the one that the library notes.
  init?(otherThanRootOf library: String, state: String?) {
    guard geteuid() == 0 else { return nil }
    let state = state ?? LibraryReader.notedStateFolder(ofLibraryAt: library)
    guard let owner = Self(of: [library + "/.podflux", library]) ?? state.flatMap({ Self(of: [$0]) }) else {
      return nil
    }
    self = owner
  }

  /// The owner of the first folder that is there; nil for root, and where the disk gives it root's files.
  private init?(of folders: [String]) {
    var status = stat()
    guard let folder = folders.first(where: { stat($0, &status) == 0 }), status.st_uid != 0,
      !Self.disk(of: folder, givesFilesTo: status.st_uid)
    else { return nil }
    (user, group) = (status.st_uid, status.st_gid)
  }

  /// Whether a file that root makes there belongs to the user at once; one is made, and removed.
  private static func disk(of folder: String, givesFilesTo user: uid_t) -> Bool {
    // What mkstemp(3) replaces.
    let unique = String(repeating: "X", count: 6)
    var path = Array("\(folder)/.owner.\(unique)".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { return false }
    defer {
      unlink(path)
      close(descriptor)
    }
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_uid == user
  }

  /// The user's name; the number where the system has no name for it.
  var name: String { knownName ?? "the user \(user)" }

  private var knownName: String? { getpwuid(user).map { String(cString: $0.pointee.pw_name) } }

  /// One sentence: why root's command does nothing here, and the remedy.
  var description: String {
    let prefix =
      knownName.map { "runuser -u \($0) --" } ?? "setpriv --reuid=\(user) --regid=\(group) --clear-groups env HOME=/"
    return """
      the library belongs to \(name), whose engine could not change what root makes in it; start its service, or run \
      this as that user (\(prefix) podflux …)
      """
  }

  /// What an engine that a person has started as root, and that goes on, is to have noted.
  var warning: String {
    "the library belongs to \(name), and this engine runs as root: that user's engine cannot change what this one makes"
  }
}
