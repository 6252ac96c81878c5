import Flux
import PodfluxCore

/// Reads a completed file to its end and compares it with what was recorded of it: length and, where there is one,
/// SHA-256. The content decides, so that a library that was copied elsewhere, where every file has another inode, is as
/// intact as it was.
///
/// Each step opens the file or reads one piece of it. It may be dropped between any two of them.
package struct FileVerification<Files: LibraryFileSystem> {
  private enum Stage {
    case opening
    case reading(Subject)
  }

  /// The open file, and what its identity and its first bytes say.
  private struct Subject {
    var reading: ContentReading<Files.Contents>
    var found: FoundFile
    var mayBeEdited: Bool
    /// Whether it may be edited, and is media still.
    var isEdited: Bool
  }

  private let file: PublishedFile
  private let finished: Timestamp?
  private let files: Files
  private var stage = Stage.opening

  /// Prepares to read.
  ///
  /// - Parameter finished: When its download was completed, where that is known.
  package init(of file: PublishedFile, finished: Timestamp?, in files: Files) {
    self.file = file
    self.finished = finished
    self.files = files
  }

  /// Takes the next step. Not to be called again once it has returned a verdict.
  ///
  /// - Returns: nil as long as the verdict is open.
  package mutating func advance(readingAtMost bytes: Int = FileReading.pieceBytes) -> Verification.Verdict? {
    do throws(FileSystemFailure) {
      switch stage {
      case .opening: return try open()
      case .reading(var subject):
        stage = .opening
        let step = try subject.reading.advance(atMost: bytes)
        stage = .reading(subject)
        return verdict(on: subject, after: step)
      }
    } catch {
      return .unreadable("\(error)")
    }
  }

  private mutating func open() throws(FileSystemFailure) -> Verification.Verdict? {
    switch try files.open(EntryPath(file.path)) {
    case .nothing: return .damaged("the file \"\(file.path)\" is gone", remains: nil)
    case .link, .other:
      return .damaged("the file \"\(file.path)\" is gone, and something that is no file is in its place", remains: nil)
    // A person who moves a folder to another disk and puts a link in its place has lost nothing.
    case .behindLink(let failure): return .unreadable("\(failure)")
    case .file(let contents): return try judge(contents)
    }
  }

  private mutating func judge(_ contents: Files.Contents) throws(FileSystemFailure) -> Verification.Verdict? {
    let found = contents.file
    let mayBeEdited = file.mayBeEdited(as: found, finished: finished) { contents.changed }
    let isEdited =
      mayBeEdited ? file.isStillMedia(try contents.likeness(name: file.path.name), length: found.length) : false
    guard found.length == file.length || isEdited else {
      return damage("has \(found.length) bytes instead of \(file.length)", found)
    }
    stage = .reading(
      Subject(
        reading: ContentReading(contents, isHashed: file.sha256 != nil), found: found, mayBeEdited: mayBeEdited,
        isEdited: isEdited))
    return nil
  }

  private func verdict(
    on subject: Subject, after progress: ContentReading<Files.Contents>.Progress
  ) -> Verification.Verdict? {
    switch progress {
    case .read: return nil
    // Judged by the time that it had before, an edit would be taken for damage.
    case .changed: return .unreadable("\"\(file.path)\" was written to while it was read")
    case .complete: break
    }
    let (found, sha256) = (subject.found, subject.reading.sha256())
    guard found.length == file.length, sha256 == file.sha256 else {
      guard subject.isEdited else {
        return damage("has another content than was downloaded: its SHA-256 differs", found)
      }
      return found.published(sha256: sha256).map { .modified($0) } ?? .intact
    }
    // As long as it was, and with the same content as far as that is known: was it written to since? In a library that
    // was copied elsewhere each file is another; a cleanup has the rows follow.
    guard found.inode == file.inode, subject.mayBeEdited else { return .intact }
    guard sha256 != nil || subject.isEdited else { return damage("was written to since, and it is no media", found) }
    return found.published(sha256: file.sha256).map { .modified($0) } ?? .intact
  }

  /// A file of another inode is another program's under any name: it stays where it is.
  private func damage(_ reason: String, _ found: FoundFile) -> Verification.Verdict {
    guard found.inode == file.inode || found.inode == FoundFile.unknownInode else {
      return .damaged("the file \"\(file.path)\" is gone, and the one in its place \(reason)", remains: nil)
    }
    var remains = file
    remains.length = found.length
    return .damaged("the file \"\(file.path)\" \(reason)", remains: remains)
  }
}

extension LibraryFileSystem {
  /// Reads a completed file to its end at once.
  ///
  /// - Parameters:
  ///   - finished: When its download was completed, where that is known.
  ///   - isCancelled: Asked after each step.
  /// - Returns: nil if it was cancelled.
  package func verify(
    _ file: PublishedFile, finished: Timestamp?, isCancelled: () -> Bool
  ) -> Verification.Verdict? {
    var verification = FileVerification(of: file, finished: finished, in: self)
    while true {
      if let verdict = verification.advance() { return verdict }
      if isCancelled() { return nil }
    }
  }
}
