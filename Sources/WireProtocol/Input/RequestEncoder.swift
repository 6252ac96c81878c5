import PodfluxCore

/// Writes the lines that a client sends, each with its line feed: what `LineDecoder` reads.
///
/// They have the secrets of addresses and headers, so that they are for an engine only.
package struct RequestEncoder: Sendable {
  private var writer = JSONWriter(keepsOffsets: true, keepsSecrets: true)

  /// Makes an encoder that has written nothing.
  package init() {}

  /// The lines written since the buffer was last emptied.
  package var bytes: [UInt8] { writer.bytes }

  /// Forgets the lines that have been written.
  package mutating func removeAll() {
    writer.removeAll()
  }

  /// Writes a request.
  package mutating func append(_ request: Request, id: Int64) {
    writer.object { line in
      line.object("meta") { $0.member("id", id) }
      line.object("payload") { _ = request.exchanged(with: &$0) }
      line.member("type", line.lineType)
    }
    writer.endLine()
  }
}
