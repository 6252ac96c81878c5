import Flux

extension Download {
  /// The file's length in bytes, as far as it is known: that of the complete file, else what the server said, else what
  /// the client expects.
  public var length: Int64? { state.file?.length ?? progress.total ?? description.expectedLength }

  /// When it was published, or else added: what its age is told by.
  public var moment: Timestamp { description.published?.moment ?? dates.added }

  /// What it is to hear or to see.
  public var media: MediaKind {
    state.file.map { MediaKind(ofFileNamed: $0.path.description) } ?? MediaKind(ofURL: address.description)
  }
}

extension DownloadState {
  /// The complete file, where there is one.
  public var file: PublishedFile? {
    switch self {
    case .completed(let file), .running(.publishing(let file)): file
    case .queued, .waiting, .running, .paused, .failed: nil
    }
  }

  fileprivate var reason: WaitingReason? {
    if case .waiting(let waiting) = self { waiting.reason } else { nil }
  }

  fileprivate var error: DownloadError.Code? {
    switch self {
    case .waiting(let waiting): waiting.error.code
    case .failed(let error): error.code
    case .queued, .running, .paused, .completed: nil
    }
  }
}

extension Traits {
  /// The traits of a download on a day.
  public init(of download: Download, on today: LocalDay) {
    self.init(
      kind: download.state.kind, isHeld: download.isHeld, reason: download.state.reason, error: download.state.error,
      media: download.media, size: SizeClass(bytes: download.length),
      age: AgeClass(days: today.age(of: download.moment)), origin: download.origin, network: download.networks.effective
    )
  }
}
