import Flux

/// The record for resuming a partial file, and for noticing that it must not be resumed.
///
/// It is stored with the download, and committed only after the bytes that it describes are durable. Clients get it as
/// a versioned opaque value; it has no secret.
///
/// ```swift
/// let kept = try await podflux.resumeData(of: id)
/// _ = try await otherLibrary.dispatch(.downloads(.enqueue(.init(id: id, address: address, resume: kept))))
/// ```
public struct ResumeRecord: Hashable, Sendable, Codable {
  /// The version that this code writes.
  public static let currentVersion = 2
  /// The versions that this code reads. Version 1 lacks `rotatesTags`, `isDateStrong` and `digestStates`.
  public static let knownVersions = 1...currentVersion
  /// The boot of a record of which only the durable bytes count.
  public static let noBoot = ""
  /// How many bytes before the end of the partial file are requested again and compared.
  public static let overlap: Int64 = 64 * 1024

  public var version: Int = currentVersion
  /// The URL of the first request, as it may be shown (`WebAddress.redacted`): every resume begins there, not at the
  /// target of a redirect. Records of former versions have the tokens of its query too.
  public var url: String
  /// The entity tag, if strong (RFC 9110 section 8.8.3).
  public var strongETag: String?
  /// A hash of an entity tag that is not strong: a different hash says that the file has changed.
  public var tagHash: Int64?
  /// Whether the server sends another entity tag for the same bytes each time, as a comparison has shown: then length,
  /// Last-Modified and overlap decide.
  public var rotatesTags: Bool
  /// The Last-Modified header as sent.
  public var lastModified: String?
  /// Whether the date may be used in an `If-Range`: the response had no entity tag, and its date lies well before the
  /// response (RFC 9110 section 13.1.5).
  public var isDateStrong: Bool
  /// The file's length in bytes, if known.
  public var total: Int64?
  /// How many bytes of the partial file are durable.
  public var durable: Int64
  /// SHA-256 (hexadecimal) of the last 64 KiB of the durable bytes, or of all if they are fewer.
  public var tailHash: String
  /// The boot during which the record was written: the page cache survives a process, not a boot.
  public var bootID: String
  public var savedAt: Timestamp
  /// The digests' states after the durable bytes, so that a resume hashes nothing again. Only the hashing module
  /// interprets them.
  public var digestStates: [String]

  public init(
    url: String, strongETag: String?, tagHash: Int64? = nil, rotatesTags: Bool = false, lastModified: String?,
    isDateStrong: Bool = false, total: Int64?, durable: Int64, tailHash: String, bootID: String, savedAt: Timestamp,
    digestStates: [String] = []
  ) {
    self.url = url
    self.strongETag = strongETag
    self.tagHash = tagHash
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

  /// Decodes a record of a known version.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    url = try container.decode(String.self, forKey: .url)
    strongETag = try container.decodeIfPresent(String.self, forKey: .strongETag)
    tagHash = try container.decodeIfPresent(Int64.self, forKey: .tagHash)
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

  /// A record that no partial file agrees with: what is kept is given up by the next attempt. It takes the place of one
  /// that cannot be read.
  package static func ofNoUse(durable: Int64) -> ResumeRecord {
    ResumeRecord(
      url: "", strongETag: nil, lastModified: nil, total: nil, durable: durable, tailHash: "", bootID: "",
      savedAt: Timestamp(milliseconds: 0))
  }

  /// Whether its version is known, and its numbers are valid lengths.
  public var isPlausible: Bool {
    Self.knownVersions.contains(version) && durable >= 0 && durable <= total ?? .max
  }

  /// Whether it is of bytes from this address.
  func isOf(_ address: WebAddress) -> Bool {
    let own = address.redacted
    return url == own || (try? WebAddress(url))?.redacted == own
  }

  /// The range of durable bytes that `tailHash` covers.
  public var tailRange: Range<Int64> { Self.tailRange(ofDurable: durable) }

  /// The range of so many durable bytes that a record's `tailHash` covers.
  public static func tailRange(ofDurable durable: Int64) -> Range<Int64> {
    max(0, durable - overlap)..<durable
  }
}
