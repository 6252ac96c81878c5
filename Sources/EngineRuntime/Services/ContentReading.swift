import Digests
import PodfluxCore

/// Reads a published file from its beginning to the length that it had when it was opened, a piece at a time, and
/// hashes it where that is wanted.
package struct ContentReading<Contents: PublishedFileContents> {
  /// What reading a piece has come to.
  package enum Progress: Hashable, Sendable {
    /// So many bytes were read.
    case read(bytes: Int)
    /// The whole file was read, and had this content when it was opened.
    case complete
    /// Another program wrote to the file meanwhile: the bytes read may be no content that the file ever had.
    case changed
  }

  /// The open file.
  package let contents: Contents
  private var offset: Int64 = 0
  private var digest: RunningDigest?

  /// Prepares to read.
  ///
  /// - Parameter isHashed: Whether its SHA-256 is wanted.
  package init(_ contents: Contents, isHashed: Bool) {
    self.contents = contents
    digest = isHashed ? RunningDigest(.sha256) : nil
  }

  /// Reads the next piece, or sees at the end whether the file is as it was opened: by the time of its last change.
  package mutating func advance(atMost bytes: Int = FileReading.pieceBytes) throws(FileSystemFailure) -> Progress {
    let file = contents.file
    guard offset < file.length else { return try contents.present() == file ? .complete : .changed }
    let piece = try contents.read(offset: offset, count: Int(min(Int64(bytes), file.length - offset)))
    guard !piece.isEmpty else { return .changed }
    piece.withUnsafeBytes { digest?.update($0) }
    offset += Int64(piece.count)
    return .read(bytes: piece.count)
  }

  /// The SHA-256 of what was read, in hexadecimal digits; nil if it is not wanted.
  package func sha256() -> String? {
    digest?.digest().hexadecimal
  }
}

/// How files are read.
package enum FileReading {
  /// How much is read at once, in bytes.
  package static let pieceBytes = 1 << 20
}
