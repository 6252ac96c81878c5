extension Action {
  /// Whether this fact reports a failure that the loss of a path may have caused.
  package var mayComeOfLostPath: Bool {
    let failure: DownloadError? =
      switch self {
      case .attempt(let report): if case .failed(let error, _, _) = report.news { error } else { nil }
      case .refresh(let report): if case .failed(let error, _) = report.news { error } else { nil }
      case .sidecar(.fetch(let report)): if case .failed(let error, _) = report.news { error } else { nil }
      default: nil
      }
    return failure?.mayComeOfLostPath ?? false
  }
}
