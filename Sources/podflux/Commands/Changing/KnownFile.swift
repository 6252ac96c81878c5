import Digests
import Foundation
import PodfluxPeople

/// A file that was here, or was being fetched, before a person asked for it with a digest.
struct KnownFile {
  private let path: String
  /// The SHA-256 of what was fetched, if the engine has it.
  private let sha256: String?
  /// Whether the file has other bytes than were fetched: its tags were written.
  private let isTagged: Bool

  private static let readBytes = 1 << 20

  /// Nil for a download that is not complete.
  init?(_ settled: DownloadFollower.Settled, _ library: String) {
    guard case .done(let path, _) = settled.outcome else { return nil }
    self.path = "\(library)/\(path)"
    sha256 = (try? settled.item?.json.string("sha256")) ?? nil
    isTagged = ((try? settled.item?.json.object("tagged")) ?? nil) != nil
  }

  /// Why it is not known to be the file with this SHA-256; nil if it is. Cost: reads the file, if the engine has no
  /// digest.
  func fault(_ digest: String) -> String? {
    if let sha256 { return Self.fault(of: sha256, digest) }
    if isTagged { return "its SHA-256 is not known: it is here already, and its tags were written" }
    do {
      return Self.fault(of: try Self.digest(of: path), digest)
    } catch {
      return "its SHA-256 is not known: it cannot be read: \(error.localizedDescription)"
    }
  }

  private static func fault(of sha256: String, _ digest: String) -> String? {
    sha256 == digest.lowercased() ? nil : "it is here already, and has another SHA-256: \(sha256)"
  }

  private static func digest(of path: String) throws -> String {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    var digest = RunningDigest(.sha256)
    while let piece = try file.read(upToCount: readBytes), !piece.isEmpty {
      piece.withUnsafeBytes { digest.update($0) }
    }
    return digest.digest().hexadecimal
  }
}
