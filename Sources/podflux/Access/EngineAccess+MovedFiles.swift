import Foundation
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
  /// renamed, for instance. Without such files nothing changes.
  ///
  /// - Returns: the downloads whose files were found to be gone or damaged meanwhile; they have failed.
  func followMovedFiles() throws -> [LostFile] {
    let plan = CleanupRequest(mode: .plan, missing: .mark, orphans: .report)
    guard try RunReport(of: .cleanup(.run(plan)), with: self).hasMovedFiles else { return [] }
    let request = CleanupRequest(missing: .mark, orphans: .report)
    return try RunReport(of: .cleanup(.run(request)), with: self).failedDownloads
  }
}
