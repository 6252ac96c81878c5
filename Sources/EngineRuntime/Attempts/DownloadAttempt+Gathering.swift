import Flux
import PodfluxCore

/// Fetches the pictures and chapters that the tags of a complete file show, before the file is copied for tagging: one
/// part after the other, within `TagMaterial.patienceMilliseconds`. If a part cannot be fetched the download goes on,
/// and the tags lack that part.
extension DownloadAttempt {
  /// The fetching of the parts.
  struct Gathering: Sendable {
    /// The path that the complete file is to get.
    let path: LibraryPath
    /// The parts that are not fetched yet.
    var rest: ArraySlice<TagMaterial.Part>
    /// When the attempt stops waiting for parts, by the monotonic clock, in milliseconds.
    let deadline: Int64
    /// The part whose exchange runs.
    var current: TagMaterial.Part?
    /// Why the exchange is of no use; nil if it is of use.
    var fault: String?
    var hasHead = false
    var body: [UInt8] = []
    /// A failure of the file meanwhile. The machine gets it when the exchange has ended.
    var failure: DownloadError?
  }

  /// Whether an exchange runs that fetches a part of what tags show, and not the file.
  package var isGathering: Bool { gathering?.current != nil }

  /// Goes on after a name was found: fetches the missing parts for the tags, once, and then prepares the file for its
  /// move.
  mutating func gather(for path: LibraryPath, at now: ClockReading) -> Work? {
    guard attempt.tags != nil, attempt.tagSources != nil, !hasGathered else { return prepareToMove(to: path, at: now) }
    hasGathered = true
    return (.files(.lookForTagParts(for: path)), .lookingForTagParts(path))
  }

  /// Begins to fetch these parts, as far as the feed names them.
  mutating func gather(_ parts: Set<TagMaterial.Part>, for path: LibraryPath, at now: ClockReading) -> Work? {
    gathering = Gathering(
      path: path, rest: TagMaterial.Part.allCases.filter(parts.contains)[...],
      deadline: now.monotonicMilliseconds + TagMaterial.patienceMilliseconds)
    return gatherNext(at: now)
  }

  /// Requests the next part. When there is none left, the attempt goes on to publish the file.
  mutating func gatherNext(at now: ClockReading) -> Work? {
    guard var gathering else { preconditionFailure("a part was to follow, and none was being fetched") }
    self.gathering = nil
    // What has failed or is to end needs no tags: the next step finds that out.
    if let failure = gathering.failure { return fail(failure) }
    while !machine.isStopping, let part = gathering.rest.popFirst() {
      guard part != .cover || material.parts[.picture] == nil, !leftParts.contains(part),
        let source = attempt.tagSources?[part]
      else { continue }
      let left = gathering.deadline - now.monotonicMilliseconds
      guard left > 0 else {
        material.miss(part, because: Gathering.tookTooLong)
        continue
      }
      (gathering.current, gathering.fault, gathering.hasHead, gathering.body) = (part, nil, false, [])
      self.gathering = gathering
      hasExchange = true
      command(.startExchange(HTTPRequest(source, settings: attempt.settings, withinMilliseconds: Int(left))))
      return nil
    }
    return prepareToMove(to: gathering.path, at: now)
  }

  private func prepareToMove(to path: LibraryPath, at now: ClockReading) -> Work {
    let moment = attempt.settings.fileTimes.modification(published: attempt.description.published, now: now.wall)
    return (.files(.prepareToMove(modified: moment, tagging: tagRequest(at: path))), .preparingToMove(path))
  }

  private func tagRequest(at path: LibraryPath) -> TagRequest? {
    attempt.tags.map {
      TagRequest($0, path: path, wantsDigest: machine.contents?.digests[.sha256] != nil, material: material)
    }
  }

  // MARK: The exchange of a part

  /// The head of a part's response has come.
  mutating func gather(head: ResponseHead) -> HeadDemand {
    guard let part = gathering?.current else { return .stop }
    if !head.hasWholeContent {
      gathering?.fault = "the server answered \(head.status)"
    } else if head.isCoded {
      gathering?.fault = "the server sent it coded, although it was asked not to"
    } else if head.contentLength ?? 0 > part.maximumBytes {
      gathering?.fault = Gathering.tooLarge(part)
    }
    gathering?.hasHead = true
    return gathering?.fault == nil ? .proceed : .stop
  }

  /// A piece of a part's body has come.
  mutating func gather(body bytes: UnsafeRawBufferPointer) -> BodyDemand {
    guard let part = gathering?.current, gathering?.fault == nil else { return .stop }
    guard (gathering?.body.count ?? 0) + bytes.count <= part.maximumBytes else {
      gathering?.fault = Gathering.tooLarge(part)
      return .stop
    }
    gathering?.body.append(contentsOf: bytes)
    return .more
  }

  /// Ends the exchange of a part if the time for all parts is over.
  mutating func gatherWithinPatience(at now: ClockReading) {
    guard let gathering, now.monotonicMilliseconds >= gathering.deadline else { return }
    endGathering(because: Gathering.tookTooLong)
  }

  /// Ends the exchange of a part; nothing if none runs, or if it is about to end.
  mutating func endGathering(because fault: String) {
    guard isGathering, hasExchange, gathering?.fault == nil else { return }
    gathering?.fault = fault
    command(.cancelExchange)
  }

  /// The exchange of a part has ended.
  mutating func gathered(_ result: Result<ExchangeSummary, ExchangeFailure>) {
    guard let gathering, let part = gathering.current else { return }
    switch result {
    case _ where gathering.fault != nil: material.miss(part, because: gathering.fault ?? "")
    case .failure(let failure): material.miss(part, because: failure.message)
    case .success where !gathering.hasHead: material.miss(part, because: "the server answered nothing")
    case .success:
      material.take(gathering.body, as: part)
      keepForSidecar(part)
    }
    self.gathering?.current = nil
    self.gathering?.body = []
    enqueue(.gathered)
  }

  private mutating func keepForSidecar(_ part: TagMaterial.Part) {
    guard attempt.settings.sidecars.contains(part.sidecar), let bytes = material.parts[part],
      let source = attempt.tagSources?[part]
    else { return }
    command(.keepGathered(bytes, GatheredFiles.Source(source)))
  }
}

extension DownloadAttempt.Gathering {
  fileprivate static let tookTooLong = "fetching it took too long"

  fileprivate static func tooLarge(_ part: TagMaterial.Part) -> String {
    "it has more than \(part.maximumBytes) bytes"
  }
}

extension HTTPRequest {
  /// The request of a part of what tags show: without the client's headers, and with no wait longer than what is left.
  fileprivate init(_ source: TagSources.Source, settings: Settings, withinMilliseconds left: Int) {
    self.init(
      to: source.address, headers: [], settings: settings, route: source.route, reach: source.reach,
      session: source.session)
    connectTimeoutMilliseconds = min(connectTimeoutMilliseconds, left)
    firstByteTimeoutMilliseconds = min(firstByteTimeoutMilliseconds, left)
    stallTimeoutMilliseconds = min(stallTimeoutMilliseconds, left)
  }
}
