import Feeds
import PodfluxCore

extension [FeedTranscript] {
  /// The one that is kept: of those whose address may be kept the first of the best form.
  var chosen: WebAddress? {
    let kept = compactMap { transcript in
      EpisodeContent.kept(transcript.address).map { (address: $0, form: transcript.form) }
    }
    return kept.indices.min { (kept[$0].form, $0) < (kept[$1].form, $1) }.map { kept[$0].address }
  }
}

extension FeedTranscript {
  /// The forms of transcripts (the Podcasting 2.0 namespace, transcripts), the best one first: those with times, then
  /// those that a sidecar can be. A page is none.
  fileprivate enum Form: Int, Comparable {
    case vtt, srt, json, text, page, unknown

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// By the media type, else by the URL's extension.
  fileprivate var form: Form {
    switch mediaType {
    case "text/vtt", "application/vtt", "text/x-vtt", "application/x-vtt": return .vtt
    case "application/x-subrip", "application/srt", "application/x-srt", "text/srt", "text/x-srt", "application/subrip":
      return .srt
    case "application/json", "text/json", "application/x-json": return .json
    case "text/plain": return .text
    case "text/html", "application/xhtml+xml": return .page
    default: break
    }
    switch RemoteName.lastPathComponent(ofURL: address.description).flatMap(FileExtension.of(name:)) {
    case "vtt": return .vtt
    case "srt": return .srt
    case "json": return .json
    case "txt": return .text
    case "html", "htm": return .page
    default: return .unknown
    }
  }
}
