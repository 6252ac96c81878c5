import PodfluxCore

/// Checks that nothing is thrown away that is still of use.
extension InvariantChecker {
  /// An attempt is about to throw kept bytes away.
  func willDiscard(_ bytes: Int64, because cause: RestartCause, _ attempt: SimulatedAttempt) throws {
    guard bytes > 0, !tampered.contains(attempt.download), let row = rows[attempt.download],
      let file = attempt.files.file
    else { return }
    let isOfUse =
      switch cause {
      case .partialMissing, .partialDamaged: isAsRecorded(file, row)
      case .rangeMismatch, .validatorChanged, .lengthChanged, .contentChanged:
        attempt.lastAnswer.map { $0.isTrue && file.length > 0 && $0.has(file) } ?? false
      // A complete file is judged by other things than its source.
      case .notMedia, .integrityMismatch, .tooLarge: false
      }
    guard isOfUse else { return }
    throw Violation(
      .keptBytes, "\(attempt.download) discards \(bytes) of \(file.length) bytes (\(cause.rawValue)) that are of use")
  }

  /// Whether a partial file has what its row promises.
  private func isAsRecorded(_ file: SimulatedFile, _ row: Download) -> Bool {
    guard let record = row.progress.resume, record.durable > 0, record.durable == row.progress.durable,
      file.length >= Int(record.durable)
    else { return false }
    return Self.tailHash(of: file, record.tailRange) == record.tailHash
  }

  /// The partial file of a download is deleted. A row that needs it has promised nothing more of it before.
  func willDeletePartial(of download: DownloadID, on disk: SimulatedDisk) throws {
    guard let row = rows[download], row.state.kind != .completed, row.progress.durable > 0,
      !tampered.contains(download), disk.partials[download] != nil
    else { return }
    throw Violation(
      .neededFiles,
      "the partial file of \(download) is deleted, which is \(row.state) with \(row.progress.durable) durable bytes")
  }

  /// A download that is paused with kept bytes, for a sabotage.
  var pausedWithBytes: DownloadID? {
    rows.values.filter { $0.state == .paused && $0.progress.durable > 0 }.map(\.id).min()
  }
}

extension SimulatedResponse {
  /// Whether what comes is what the head says: the present content, or a part of it.
  fileprivate var isTrue: Bool {
    guard failure == nil, page.isEmpty, !isCoded else { return false }
    let part = fields.first { $0.name == "Content-Range" }?.value
    return status == 200 && part == nil
      || status == 206 && part?.hasPrefix("bytes \(range.lowerBound)-") == true
  }

  /// Whether a file is the beginning of the content.
  fileprivate func has(_ file: SimulatedFile) -> Bool {
    file.content.withUnsafeBytes { content.matches($0) }
  }
}
