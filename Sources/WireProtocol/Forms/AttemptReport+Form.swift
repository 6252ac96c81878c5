import PodfluxCore

/// What attempts report. `attempt` and `id` say which one, `fetched` how many bytes have come since its last report.
extension AttemptReport {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    switch news {
    case .reading: preconditionFailure("readings are not committed; LineEncoder.progressed writes them")
    case .checkpoint(var record):
      coder.type("downloads/checkpointed", "Bytes of a partial file are durable.")
      try coder.required("attempt", &attempt.generation, .number)
      coder.derived("durable", record.durable, .number)
      try coder.optional("fetched", &fetched, .number, omitting: 0)
      try coder.required("id", &attempt.download, .downloadID)
      try coder.required("resumeData", &record, .keptRecord)
      news = .checkpoint(record)
    case .restarting(var discarded, var cause):
      coder.type("downloads/restarted", "Fetched bytes are discarded.")
      try coder.required("attempt", &attempt.generation, .number)
      try coder.required("because", &cause, .choice)
      try coder.required("discarded", &discarded, .number)
      try coder.optional("fetched", &fetched, .number, omitting: 0)
      try coder.required("id", &attempt.download, .downloadID)
      news = .restarting(discarding: discarded, because: cause)
    case .publishing(var file, var record, var tagging):
      coder.type("downloads/publishing", "A file is complete and gets its name next.")
      try coder.required("attempt", &attempt.generation, .number)
      try coder.optional("fetched", &fetched, .number, omitting: 0)
      try coder.required("file", &file, .object)
      try coder.required("id", &attempt.download, .downloadID)
      try coder.required("resumeData", &record, .keptRecord)
      try coder.optional("tagging", &tagging, .object)
      news = .publishing(file, kept: record, tagging: tagging)
    case .finished(var file, var folders):
      coder.type("downloads/finished", "A file stands at its place; the attempt has ended.")
      try coder.required("attempt", &attempt.generation, .number)
      try coder.optional("fetched", &fetched, .number, omitting: 0)
      try coder.required("file", &file, .object)
      try coder.optional("folders", &folders, .madeFolders, omitting: [])
      try coder.required("id", &attempt.download, .downloadID)
      news = .finished(file, madeFolders: folders)
    case .failed(var error, var record, var milliseconds):
      coder.type("downloads/failed", "The attempt has failed.")
      try coder.required("attempt", &attempt.generation, .number)
      try coder.required("error", &error, .object)
      try coder.optional("fetched", &fetched, .number, omitting: 0)
      try coder.required("id", &attempt.download, .downloadID)
      try coder.optional("resumeData", &record, .keptRecord)
      try coder.optional("retryAfterMilliseconds", &milliseconds, .anyInteger)
      news = .failed(error, kept: record, retryAfterMilliseconds: milliseconds)
    case .stopped(var record):
      coder.type("downloads/stopped", "The attempt has ended because the engine stopped it.")
      try exchangeEnd(&record, with: &coder)
      news = .stopped(kept: record)
    case .pathRefused(var record):
      coder.type("downloads/pathRefused", "The attempt has ended because a redirect led to a path that it may not use.")
      try exchangeEnd(&record, with: &coder)
      news = .pathRefused(kept: record)
    }
  }

  private mutating func exchangeEnd<Coder: PayloadCoder>(
    _ record: inout ResumeRecord?, with coder: inout Coder
  ) throws(Coder.Fault) {
    try coder.required("attempt", &attempt.generation, .number)
    try coder.optional("fetched", &fetched, .number, omitting: 0)
    try coder.required("id", &attempt.download, .downloadID)
    try coder.optional("resumeData", &record, .keptRecord)
  }
}

extension PublishedFile: FormedPayload {
  static let template = PublishedFile(path: .template, length: 0, inode: 0)
  static let definition: String? = "publishedFile"
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.required("inode", &inode, .inode)
    try coder.required("length", &length, .number)
    try coder.optional("modified", &modifiedNanoseconds, .nanoseconds)
    try coder.required("path", &path, .libraryPath)
    try coder.optional("sha256", &sha256, .text)
  }
}

/// The payload has `length`, with or without `sha256`, or else `untagged`.
extension Download.Tagging: FormedPayload {
  static let template = Self.tagged(.init(length: 0))
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    var (length, sha256, reason): (Int64?, String?, String?) = (nil, nil, nil)
    switch self {
    case .tagged(let original): (length, sha256) = (original.length, original.sha256)
    case .untagged(let words): reason = words
    }
    try coder.optional("length", &length, .number)
    try coder.optional("sha256", &sha256, .text)
    try coder.optional("untagged", &reason, .text)
    if let reason {
      self = .untagged(because: reason)
    } else {
      self = .tagged(.init(length: length ?? 0, sha256: sha256))
    }
  }
}

extension DownloadError: FormedPayload {
  static let template = DownloadError(.io, "")
  static let definition: String? = "reportedError"
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    var (isLasting, isPassing) = (outlook == .lasting, outlook == .passing)
    try coder.optional("cause", &cause, .choice)
    try coder.optional("challenge", &challenge, .choice)
    try coder.required("code", &code, .choice)
    try coder.optional("lasting", &isLasting, .boolean, omitting: false)
    try coder.required("message", &message, .text)
    try coder.optional("otherHost", &isOfOtherHost, .boolean, omitting: false)
    try coder.optional("passing", &isPassing, .boolean, omitting: false)
    try coder.optional("shortBytes", &shortBytes, .number)
    try coder.optional("status", &status, .status)
    outlook = isLasting ? .lasting : isPassing ? .passing : nil
  }
}
