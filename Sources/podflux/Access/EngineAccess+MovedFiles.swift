import Foundation
import PodfluxClient
import PodfluxCore

/// Files that are not where the engine has last seen them.
extension EngineAccess {
  /// A download that has failed because its file is gone or damaged.
  typealias LostFile = (id: String, reason: String)

  /// Whether no file is at a path relative to the library. Where the library itself cannot be seen, nothing is known of
  /// its files.
  func isGone(_ path: String) -> Bool {
    Self.isGone("\(library)/\(path)") && !Self.isGone(library)
  }

  private static func isGone(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0 && errno == ENOENT
  }

  /// Lets rows follow files that a person has moved within the library since the engine last looked: a folder that was
  /// renamed, for instance. Where no such file is one of those that are asked for, nothing changes.
  ///
  /// - Parameter isAsked: Whether a download, by its id, is asked for.
  /// - Returns: the downloads whose files were found to be gone or damaged meanwhile; they have failed.
  /// - Throws: `EngineRefusal` if files of other downloads are gone: what becomes of those is not decided here.
  func followMovedFiles(_ isAsked: (String) -> Bool) throws -> [LostFile] {
    let plan = try RunReport(
      of: .cleanup(.run(CleanupRequest(mode: .plan, missing: .mark, orphans: .report))), with: self)
    let moved = try plan.downloads(.moved).count(where: isAsked)
    guard moved > 0 else { return [] }
    let others = try plan.downloads(.missing).count { !isAsked($0) }
    guard others == 0 else {
      throw EngineRefusal(
        code: Refusal.Code.conflict.rawValue,
        message: "\(moved) of these files lie elsewhere in the library now, and \(others) of other downloads are gone; "
          + "podflux clean follows the former and forgets the latter")
    }
    let request = CleanupRequest(missing: .mark, orphans: .report)
    return try RunReport(of: .cleanup(.run(request)), with: self).failedDownloads
  }
}
