import CTagging
import PodfluxCore

/// The formats whose tags are written.
enum TagFormat: Sendable {
  case mpeg, mp4, vorbis, opus, flac

  /// The format of a file that begins with these bytes, at most `MediaSignature.length`; nil for others.
  init?(beginning: [UInt8]) {
    switch MediaSignature(beginning) {
    case .mp3, .taggedAudio: self = .mpeg
    case .m4a, .m4b, .mp4, .m4v: self = .mp4
    case .opus: self = .opus
    case .flac: self = .flac
    case .ogg where beginning.dropFirst(Self.firstPacketOffset).starts(with: [1] + Array("vorbis".utf8)): self = .vorbis
    default: return nil
    }
  }

  /// Where the first packet of an Ogg stream begins: after the header of a page with one segment (RFC 3533 section 6).
  private static let firstPacketOffset = 28

  var code: ctagging_format {
    switch self {
    case .mpeg: CTAGGING_MPEG
    case .mp4: CTAGGING_MP4
    case .vorbis: CTAGGING_VORBIS
    case .opus: CTAGGING_OPUS
    case .flac: CTAGGING_FLAC
    }
  }
}
