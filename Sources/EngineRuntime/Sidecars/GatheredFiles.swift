import PodfluxCore

/// What attempts have fetched for their tags a moment ago, for the sidecars that want the same: no server is asked
/// twice.
///
/// Nothing of it survives the process: what is not here is fetched.
package struct GatheredFiles: Sendable {
  /// What a file was fetched from, and with whose credentials.
  package struct Source: Hashable, Sendable {
    let address: WebAddress
    let session: SessionID?
  }

  /// How many bytes are kept: a picture for each of some transfers. The oldest files go first.
  package static let maximumBytes = 8 << 20
  /// How many files are kept.
  package static let maximumFiles = 64

  /// The oldest one first.
  private var files: [(source: Source, bytes: [UInt8])] = []
  private var length = 0

  package init() {}

  /// Keeps a file for the sidecar that is about to want it.
  package mutating func keep(_ bytes: [UInt8], from source: Source) {
    _ = take(source)
    files.append((source, bytes))
    length += bytes.count
    while length > Self.maximumBytes || files.count > Self.maximumFiles { length -= files.removeFirst().bytes.count }
  }

  /// The file from there, which is kept no longer; nil if it is not here.
  package mutating func take(_ source: Source) -> [UInt8]? {
    guard let index = files.firstIndex(where: { $0.source == source }) else { return nil }
    let bytes = files.remove(at: index).bytes
    length -= bytes.count
    return bytes
  }
}

extension GatheredFiles.Source {
  /// Where a part of what tags show is.
  init(_ source: TagSources.Source) {
    self.init(address: source.address, session: source.session?.session)
  }

  /// Where a sidecar is; nil if its bytes come over no network.
  package init?(_ fetch: SidecarFetch) {
    guard case .address(let address) = fetch.source else { return nil }
    self.init(address: address, session: fetch.session?.session)
  }
}

extension TagMaterial.Part {
  /// The sidecar that has the same bytes.
  var sidecar: SidecarKind {
    switch self {
    case .chapters: .chapters
    case .picture: .picture
    case .cover: .cover
    }
  }
}
