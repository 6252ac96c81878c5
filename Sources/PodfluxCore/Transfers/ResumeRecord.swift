import Flux

/// What is needed to go on with a partial file, and to notice that it may not be gone on with.
///
/// Stored with the download and committed only after the bytes that it speaks of are durable. It is exported as it
/// stands, versioned and opaque, so nothing in it is secret but the URL, which is the download's own.
public struct ResumeRecord: Hashable, Sendable, Codable {
  /// The version that this code writes, and the only one it reads.
  public static let currentVersion = 1
  /// The boot of a record beyond whose durable bytes nothing is believed, whatever lies there.
  public static let noBoot = ""
  /// How many bytes before the end of the partial are fetched again and compared.
  public static let overlap: Int64 = 64 * 1024

  /// The record's version.
  public var version: Int = currentVersion
  /// The original URL: every resume begins there, whatever it redirected to.
  public var url: String
  /// The entity tag if it is strong (RFC 9110 section 8.8.3).
  public var strongETag: String?
  /// The Last-Modified header as it came.
  public var lastModified: String?
  /// The file's length in bytes, where known.
  public var total: Int64?
  /// How many bytes of the partial are durable.
  public var durable: Int64
  /// SHA-256 (hexadecimal) of the last 64 KiB of the durable bytes, or of all if they are fewer.
  public var tailHash: String
  /// The boot during which the record was written: the page cache outlives a process, not a boot.
  public var bootID: String
  /// When it was written.
  public var savedAt: Timestamp

  /// Makes a record.
  public init(
    url: String, strongETag: String?, lastModified: String?, total: Int64?, durable: Int64, tailHash: String,
    bootID: String, savedAt: Timestamp
  ) {
    self.url = url
    self.strongETag = strongETag
    self.lastModified = lastModified
    self.total = total
    self.durable = durable
    self.tailHash = tailHash
    self.bootID = bootID
    self.savedAt = savedAt
  }

  /// Whether it is of a version that this code knows, and its numbers can be lengths.
  public var isPlausible: Bool {
    version == Self.currentVersion && durable >= 0 && durable <= total ?? .max
  }

  /// The part of the durable bytes that `tailHash` covers.
  public var tailRange: Range<Int64> {
    max(0, durable - Self.overlap)..<durable
  }
}
