import Digests
import FileStore
import Flux
import PodfluxCore

/// Reading completed files again.
extension LibraryFiles {
  /// Reads a completed file to its end and compares it with what was recorded of it: length and, where there is one,
  /// SHA-256. The content decides, so that a library that was copied elsewhere, where every file has another inode, is
  /// as intact as it was.
  ///
  /// - Parameters:
  ///   - finished: When its download was completed, where that is known.
  ///   - isCancelled: Asked at each MiB.
  /// - Returns: nil if it was cancelled.
  func verify(
    _ file: PublishedFile, finished: Timestamp?, isCancelled: () -> Bool
  ) -> Verification.Verdict? {
    do throws(FileError) {
      guard let contents = try published.open(file.path) else {
        return .damaged("the file \"\(file.path)\" is gone", remains: nil)
      }
      return try verify(contents, file, finished, isCancelled)
    } catch {
      switch error {
      case .symbolicLink, .notARegularFile:
        return .damaged(
          "the file \"\(file.path)\" is gone, and something that is no file is in its place", remains: nil)
      default: return .unreadable("\(error)")
      }
    }
  }

  private func verify(
    _ contents: PublishedContents, _ file: PublishedFile, _ finished: Timestamp?, _ isCancelled: () -> Bool
  ) throws(FileError) -> Verification.Verdict? {
    let found = FoundFile(EntryPath(file.path), contents.identity)
    let mayBeEdited = file.mayBeEdited(as: found, finished: finished)
    let isEdited =
      mayBeEdited
      ? file.isStillMedia(try likeness(of: contents, name: file.path.name), length: contents.identity.size) : false
    guard found.length == file.length || isEdited else {
      return damage("has \(found.length) bytes instead of \(file.length)", contents, file)
    }
    var digest = file.sha256.map { _ in RunningDigest(.sha256) }
    let reading = try contents.forEachPiece { bytes in
      digest?.update(bytes)
      return !isCancelled()
    }
    switch reading {
    case .complete: break
    case .stopped: return nil
    // Judged by the time that it had before, an edit would be taken for damage.
    case .changed: return .unreadable("\"\(file.path)\" was written to while it was read")
    }
    let sha256 = digest?.digest().hexadecimal
    guard found.length == file.length, sha256 == file.sha256 else {
      guard isEdited else {
        return damage("has another content than was downloaded: its SHA-256 differs", contents, file)
      }
      return found.published(sha256: sha256).map { .modified($0) }
    }
    return try verdict(onSame: found, file, mayBeEdited: mayBeEdited, isMedia: sha256 != nil || isEdited, contents)
  }

  /// As long as it was, and with the same content as far as that is known: was it written to since?
  private func verdict(
    onSame found: FoundFile, _ file: PublishedFile, mayBeEdited: Bool, isMedia: Bool, _ contents: PublishedContents
  ) throws(FileError) -> Verification.Verdict {
    // In a library that was copied elsewhere each file is another; a cleanup has the rows follow.
    guard found.inode == file.inode, mayBeEdited else { return .intact }
    guard isMedia else { return damage("was written to since, and it is no media", contents, file) }
    return found.published(sha256: file.sha256).map { .modified($0) } ?? .intact
  }

  /// A file of another inode is somebody else's, whatever its name: it stays where it is.
  private func damage(
    _ reason: String, _ contents: PublishedContents, _ file: PublishedFile
  ) -> Verification.Verdict {
    guard !contents.identity.hasLastingInode || contents.identity.inode == file.inode else {
      return .damaged("the file \"\(file.path)\" is gone, and the one in its place \(reason)", remains: nil)
    }
    var remains = file
    remains.length = contents.identity.size
    return .damaged("the file \"\(file.path)\" \(reason)", remains: remains)
  }
}
