/// Whether what was fetched is what a sidecar is to be, and which extension it gets.
package enum SidecarContent {
  /// The extension of a complete file.
  ///
  /// The bytes decide, not what the server says of them. Cost: linear in their number.
  ///
  /// - Throws: `notMedia` for what is no file of the kind, and `tooLarge`.
  package static func fileExtension(of bytes: [UInt8], as kind: SidecarKind) throws(DownloadError) -> String {
    guard !bytes.isEmpty else { throw DownloadError(.notMedia, "the server sent nothing") }
    guard bytes.count <= kind.maximumBytes else { throw tooLarge(kind) }
    let signature = MediaSignature(bytes)
    switch kind {
    case .cover, .picture:
      guard let signature, [.jpeg, .png, .webp].contains(signature) else {
        throw DownloadError(.notMedia, "the server sent no JPEG, PNG or WebP\(instead(signature))")
      }
      return signature.fileExtension
    case .chapters:
      guard JSONSyntax.isObject(bytes) else {
        throw DownloadError(.notMedia, "the server sent no chapters in JSON\(instead(signature))")
      }
      return "json"
    case .transcript: return try transcript(bytes, signature)
    case .notes: return "html"
    case .info: return "json"
    }
  }

  /// The error for a file that is larger than its kind may be.
  package static func tooLarge(_ kind: SidecarKind) -> DownloadError {
    DownloadError(.tooLarge, "it has more than \(kind.maximumBytes) bytes; none of this kind needs as many")
  }

  /// The forms of transcripts (the Podcasting 2.0 namespace, transcripts).
  private static func transcript(
    _ bytes: [UInt8], _ signature: MediaSignature?
  ) throws(DownloadError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0),
      ![.html, .xml, .rss, .atom, .opml].contains(signature)
    else { throw DownloadError(.notMedia, "the server sent no transcript in text\(instead(signature))") }
    if JSONSyntax.isObject(bytes) { return "json" }
    let beginning = text.utf8.prefix(MediaSignature.length)
    if beginning.starts(with: "WEBVTT".utf8) || beginning.starts(with: "\u{FEFF}WEBVTT".utf8) { return "vtt" }
    return Array(beginning).containsArrow ? "srt" : "txt"
  }

  private static func instead(_ signature: MediaSignature?) -> String {
    switch signature {
    case .html: ", but a page"
    case let other?: ", but \(other.fileExtension)"
    case nil: ""
    }
  }
}

extension [UInt8] {
  /// Whether a cue's two times stand in it, as SubRip divides them.
  fileprivate var containsArrow: Bool {
    let arrow = Array(" --> ".utf8)
    return indices.contains { self[$0...].starts(with: arrow) }
  }
}
