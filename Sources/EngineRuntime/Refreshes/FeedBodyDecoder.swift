import PodfluxCore

/// Undoes the coding of a feed's body: the one that the response declares or, where it declares none and the body
/// begins as gzip does (RFC 1952 section 2.3.1), that one. Servers send `feed.xml.gz` so.
final class FeedBodyDecoder: BodyDecoder, @unchecked Sendable {
  // `@unchecked`: used only while the attempt's state is locked.

  private let makeDecoder: (ContentCoding) -> any BodyDecoder
  private var decoder: (any BodyDecoder)?
  /// Whether the beginning of the body says of what coding it is.
  private var isUndecided: Bool
  /// The first byte, if the second one has not come.
  private var first: UInt8?

  private static let signature: [UInt8] = [0x1F, 0x8B]

  init(_ declared: ContentCoding?, _ makeDecoder: @escaping (ContentCoding) -> any BodyDecoder) {
    self.makeDecoder = makeDecoder
    (decoder, isUndecided) = (declared.map(makeDecoder), declared == nil)
  }

  /// A body without a coding says nothing of its end.
  var isAtEnd: Bool { decoder?.isAtEnd ?? !isUndecided }

  func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) throws(DownloadError) -> Bool {
    guard isUndecided else { return try pass(bytes, take) }
    let beginning = (first.map { [$0] } ?? []) + bytes.prefix(Self.signature.count)
    if beginning.count == 1, beginning[0] == Self.signature[0] {
      first = beginning[0]
      return true
    }
    guard let held = first ?? beginning.first else { return true }
    isUndecided = false
    if beginning.starts(with: Self.signature) { decoder = makeDecoder(.gzip) }
    if first != nil, !(try withUnsafeBytes(of: held) { byte throws(DownloadError) in try pass(byte, take) }) {
      return false
    }
    return try pass(bytes, take)
  }

  private func pass(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) throws(DownloadError)
    -> Bool
  {
    if let decoder { try decoder.decode(bytes, take) } else { bytes.isEmpty || take(bytes) }
  }
}
