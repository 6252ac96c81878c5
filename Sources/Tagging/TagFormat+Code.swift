import CTagging
import PodfluxCore

extension TagFormat {
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
