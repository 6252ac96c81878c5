/// A file that lies beside the files of episodes (the article Sidecars).
///
/// Use: `settings.sidecars.kinds.first`.
public enum SidecarKind: String, Hashable, Sendable, CaseIterable {
  /// The picture of the podcast, in the folder of its files.
  case cover
  /// The picture of an episode, where it is another one than its podcast's.
  case picture
  /// The chapters of an episode (`podcast:chapters`).
  case chapters
  /// A transcript of an episode (`podcast:transcript`): of several that of the best form.
  case transcript
  /// What the feed says of an episode at length.
  case notes
  /// What the library knows of a download.
  case info

  /// Whether it lies beside the file of one download; otherwise it lies in a podcast's folder.
  public var isOfDownload: Bool { self != .cover }

  /// The length of the largest one, in bytes.
  public var maximumBytes: Int {
    switch self {
    case .cover, .picture: SidecarLimits.pictureBytes
    case .chapters, .transcript, .notes, .info: SidecarLimits.textBytes
    }
  }
}

/// The limits of sidecars: their lengths, and how many the engine works on at once.
package enum SidecarLimits {
  /// The length of the largest picture, in bytes.
  package static let pictureBytes = 10 << 20
  /// The length of the largest file of text, in bytes.
  package static let textBytes = 5 << 20
  /// The longest ending of a sidecar's name, in bytes, `.chapters.json`: the name of an episode's file leaves room for
  /// it.
  package static let endingBytes = 14
  /// How many are fetched at once.
  package static let fetches = 4
  /// How many are fetched at once from one host.
  package static let fetchesPerHost = 2
  /// How many files are deleted and moved at once.
  package static let errands = 16
  /// How many rows, or files, one turn looks at.
  package static let rowsAtOnce = 64
  /// How many attempts there are to fetch one.
  package static let attempts = 5
  /// How long is waited after attempts that fail: 1, 4, 16 and 64 minutes, and up to half as much again.
  static let backoff = Backoff(firstMilliseconds: 60_000, longestMilliseconds: 24 * 3600 * 1000, factor: 4)
  /// After how many milliseconds a file is tried again whose disk had no room, or whose session could not log in. That
  /// counts for no attempt.
  package static let waitMilliseconds: Int64 = 3600 * 1000
}

/// Kinds of sidecars, each once, in the order of `SidecarKind`.
///
/// ```swift
/// var patch = SettingsPatch()
/// patch.sidecars = SidecarKinds([.cover, .chapters])
/// _ = try await podflux.dispatch(.updateSettings(patch))
/// ```
public struct SidecarKinds: Hashable, Sendable {
  public let kinds: [SidecarKind]

  /// Takes kinds in any order.
  public init(_ kinds: some Sequence<SidecarKind> = []) {
    let chosen = Set(kinds)
    self.kinds = SidecarKind.allCases.filter(chosen.contains)
  }

  /// Reads names; nil if one of them is no kind, or stands twice.
  public init?(names: [String]) {
    let kinds = names.compactMap(SidecarKind.init(rawValue:))
    guard kinds.count == names.count, Set(kinds).count == names.count else { return nil }
    self.init(kinds)
  }

  public var isEmpty: Bool { kinds.isEmpty }
  public func contains(_ kind: SidecarKind) -> Bool { kinds.contains(kind) }
  /// The names, in the order of `SidecarKind`.
  public var names: [String] { kinds.map(\.rawValue) }
}
