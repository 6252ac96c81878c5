import Flux

extension Download {
  /// The file's length in bytes if known: of the complete file, else from the server, else the client's expectation.
  public var length: Int64? { state.file?.length ?? progress.total ?? description.expectedLength }

  /// When it was published, or else added: its age counts from here.
  public var moment: Timestamp { description.published?.moment ?? dates.added }

  public var media: MediaKind {
    state.file.map { MediaKind(ofFileNamed: $0.path.description) } ?? MediaKind(ofURL: address.description)
  }
}

extension DownloadState {
  /// The complete file. While it is being published, it may not be at its place yet. Nil in all states before.
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
  package init(of download: Download, on today: LocalDay) {
    self.init(
      kind: download.state.kind, isHeld: download.isHeld, reason: download.state.reason, error: download.state.error,
      media: download.media, size: SizeClass(bytes: download.length),
      age: AgeClass(days: today.age(of: download.moment)), origin: download.origin,
      network: download.networks.effective,
      session: download.session
    )
  }
}
