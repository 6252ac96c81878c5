import PodfluxCore

/// The digests of a growing file. Each may cover a different number of its bytes.
package struct ContentDigests: Sendable {
  /// How many bytes are read at once to catch up.
  private static let readBytes = 1 << 20

  private var running: [DigestAlgorithm: RunningDigest]

  /// Digests of an empty file.
  package init(_ algorithms: [DigestAlgorithm]) {
    running = Dictionary(uniqueKeysWithValues: algorithms.map { ($0, RunningDigest($0)) })
  }

  /// Hashes bytes that were appended to the file.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    for algorithm in DigestAlgorithm.allCases {
      running[algorithm]?.update(bytes)
    }
  }

  /// Updates the digests to the first `length` bytes of a file that existed before or was truncated. Cost: reads the
  /// bytes that neither the digests nor the earlier states cover.
  package mutating func follow(
    _ contents: some ReadableContents, to length: Int64, from states: [String]
  ) throws(DownloadError) {
    for algorithm in DigestAlgorithm.allCases {
      guard let present = running[algorithm] else { continue }
      let known = states.compactMap(RunningDigest.init(state:)).first { $0.algorithm == algorithm }
      let candidates = [present, known].compactMap { $0 }.filter { $0.count <= length }
      var digest = candidates.max { $0.count < $1.count } ?? RunningDigest(algorithm)
      try Self.catchUp(&digest, with: contents, to: length)
      running[algorithm] = digest
    }
  }

  private static func catchUp(
    _ digest: inout RunningDigest, with contents: some ReadableContents, to length: Int64
  ) throws(DownloadError) {
    while digest.count < length {
      let bytes = try contents.read(offset: digest.count, count: Int(min(Int64(readBytes), length - digest.count)))
      guard !bytes.isEmpty else {
        throw DownloadError(.lengthMismatch, "the partial file became shorter than \(length) bytes while it was read")
      }
      bytes.withUnsafeBytes { digest.update($0) }
    }
  }

  /// The states from which a later process continues without reading the file again: one text for each digest.
  package var states: [String] {
    DigestAlgorithm.allCases.compactMap { running[$0]?.state }
  }

  /// The digests of all bytes so far.
  package var values: [DigestAlgorithm: [UInt8]] {
    running.mapValues { $0.digest() }
  }
}
