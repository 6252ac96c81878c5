import Flux

/// What is needed to go on with a partial file, and to notice that it may not be gone on with.
///
/// Stored with the download and committed only after the bytes that it speaks of are durable. It is exported as it
/// stands, versioned and opaque, so nothing in it is secret but the URL, which is the download's own.
public struct ResumeRecord: Hashable, Sendable, Codable {
  /// The version that this code writes.
  public static let currentVersion = 2
  /// The versions that this code reads. Version 1 knows nothing of `rotatesTags`, `isDateStrong` and `digestStates`.
  public static let knownVersions = 1...currentVersion
  /// The boot of a record beyond whose durable bytes nothing is believed, whatever lies there.
  public static let noBoot = ""
  /// How many bytes before the end of the partial are fetched again and compared.
  public static let overlap: Int64 = 64 * 1024

  /// The record's version.
  public var version: Int = currentVersion
  /// The URL that the bytes were asked for at: every resume begins there, whatever it redirected to.
  public var url: String
  /// The entity tag if it is strong (RFC 9110 section 8.8.3).
  public var strongETag: String?
  /// Whether the server gives the same bytes another entity tag each time, as a comparison has shown: length,
  /// Last-Modified and overlap decide instead.
  public var rotatesTags: Bool
  /// The Last-Modified header as it came.
  public var lastModified: String?
  /// Whether that may stand in an `If-Range`: the response had no entity tag, and its date lies well before the response
  /// (RFC 9110 section 13.1.5).
  public var isDateStrong: Bool
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
  /// The states of the digests of the durable bytes, so that nothing that was hashed is read again. What they mean is the
  /// business of whoever hashes.
  public var digestStates: [String]

  /// Makes a record.
  public init(
    url: String, strongETag: String?, rotatesTags: Bool = false, lastModified: String?, isDateStrong: Bool = false,
    total: Int64?, durable: Int64, tailHash: String, bootID: String, savedAt: Timestamp, digestStates: [String] = []
  ) {
    self.url = url
    self.strongETag = strongETag
    self.rotatesTags = rotatesTags
    self.lastModified = lastModified
    self.isDateStrong = isDateStrong
    self.total = total
    self.durable = durable
    self.tailHash = tailHash
    self.bootID = bootID
    self.savedAt = savedAt
    self.digestStates = digestStates
  }

  /// Reads a record of a known version.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    url = try container.decode(String.self, forKey: .url)
    strongETag = try container.decodeIfPresent(String.self, forKey: .strongETag)
    rotatesTags = try container.decodeIfPresent(Bool.self, forKey: .rotatesTags) ?? false
    lastModified = try container.decodeIfPresent(String.self, forKey: .lastModified)
    isDateStrong = try container.decodeIfPresent(Bool.self, forKey: .isDateStrong) ?? false
    total = try container.decodeIfPresent(Int64.self, forKey: .total)
    durable = try container.decode(Int64.self, forKey: .durable)
    tailHash = try container.decode(String.self, forKey: .tailHash)
    bootID = try container.decode(String.self, forKey: .bootID)
    savedAt = try container.decode(Timestamp.self, forKey: .savedAt)
    digestStates = try container.decodeIfPresent([String].self, forKey: .digestStates) ?? []
  }

  /// Whether it is of a version that this code knows, and its numbers can be lengths.
  public var isPlausible: Bool {
    Self.knownVersions.contains(version) && durable >= 0 && durable <= total ?? .max
  }

  /// The part of the durable bytes that `tailHash` covers.
  public var tailRange: Range<Int64> { Self.tailRange(ofDurable: durable) }

  /// The part of so many durable bytes that a record's `tailHash` covers.
  public static func tailRange(ofDurable durable: Int64) -> Range<Int64> {
    max(0, durable - overlap)..<durable
  }
}
