/// The formats whose tags are written.
package enum TagFormat: Hashable, Sendable {
  case mpeg, mp4, vorbis, opus, flac

  /// The format of a file that begins with these bytes, at most `MediaSignature.length`; nil for others.
  package init?(beginning: [UInt8]) {
    switch MediaSignature(beginning) {
    case .mp3, .taggedAudio: self = .mpeg
    case .m4a, .m4b, .mp4, .m4v: self = .mp4
    case .opus: self = .opus
    case .flac: self = .flac
    case .ogg where beginning.dropFirst(Self.firstPacketOffset).starts(with: [1] + Array("vorbis".utf8)): self = .vorbis
    default: return nil
    }
  }

  /// Whether chapters are written. TagLib 1.13 writes no list of chapters into MPEG-4 files.
  package var takesChapters: Bool { self != .mp4 }

  /// Where the first packet of an Ogg stream begins: after the header of a page with one segment (RFC 3533 section 6).
  private static let firstPacketOffset = 28
}
