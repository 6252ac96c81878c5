import PodfluxCore
import PodfluxPeople
import Terminal

/// Describes the results of a cleanup in words.
struct CleanupDeeds {
  private let deeds: [CleanupRun.Deed]
  private let wasCancelled: Bool

  /// The results of a run that are news.
  init(_ run: CleanupRun) {
    deeds = run.deeds.filter(\.isNews)
    wasCancelled = run.stage == .cancelled
  }

  /// Whether files went to quarantine, from where they can be restored.
  var hasQuarantined: Bool {
    deeds.contains { $0.done > 0 && Self.isQuarantining($0.finding, $0.decision) }
  }

  /// Whether downloads have failed that can be fetched again.
  var hasLost: Bool {
    deeds.contains { $0.done > 0 && Self.isLosing($0.finding, $0.decision) }
  }

  /// Whether a decision puts the file of such a finding into quarantine.
  static func isQuarantining(_ finding: CleanupStep.Finding.Kind?, _ decision: CleanupStep.Decision) -> Bool {
    decision == .quarantine || (finding == .corrupt && decision == .redownload)
  }

  /// Whether a decision makes the download of such a finding fail.
  static func isLosing(_ finding: CleanupStep.Finding.Kind?, _ decision: CleanupStep.Decision) -> Bool {
    decision == .mark || (finding == .corrupt && decision == .quarantine)
  }

  /// The results of the cleanup with this name, as a sentence.
  func sentence(_ name: String) -> String {
    let done = deeds.filter { $0.done > 0 }.map(Self.words)
    let left = deeds.reduce(0) { $0 + $1.left }
    let leaving = left > 0 ? ["left \(count(left, "finding")) unresolved"] : []
    return name + (wasCancelled ? ", until it was cancelled, " : " ") + (done + leaving).listed
  }

  private static func words(for deed: CleanupRun.Deed) -> String {
    let number = deed.done
    let size = deed.bytes > 0 ? " (\(ByteCount(deed.bytes)))" : ""
    return switch deed.decision {
    case .forget: "forgot \(count(number, "download")) whose files are gone"
    case .redownload: "queued \(count(number, "download")) again"
    case .mark: "marked \(count(number, "download")) as failed"
    case .follow where deed.finding != .moved: "took over \(count(number, "edited file"))"
    case .follow: "followed \(count(number, "moved file"))"
    case .quarantine: "put \(count(number, noun(of: deed.finding))) into quarantine\(size)"
    case .delete where deed.finding == .expiredQuarantine: "deleted what was in quarantine for long\(size)"
    case .delete: "deleted \(count(number, noun(of: deed.finding)))\(size)"
    case .rename: "renamed \(count(number, "file"))"
    case .adopt: "adopted \(count(number, "file"))\(size)"
    case .correct, .offer, .leave: "handled \(count(number, noun(of: deed.finding)))"
    }
  }

  private static func noun(of finding: CleanupStep.Finding.Kind) -> String {
    switch finding {
    case .corrupt: "damaged file"
    case .orphanPartial: "needless partial file"
    case .emptyFolder: "empty folder"
    default: "file"
    }
  }
}
