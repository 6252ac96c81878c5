import Flux
import PodfluxCore

/// An event that the shell hands to the fetch of a sidecar.
package enum SidecarEvent: Sendable {
  /// The operation has begun.
  case begin
  /// The head of the final response has come.
  case head(ResponseHead)
  /// A piece of the body has come.
  case body([UInt8])
  case exchangeEnded(Result<ExchangeSummary, ExchangeFailure>)
  /// The row knows the file.
  case proceed
  /// The fetch is to end.
  case stop
}

/// A command that the fetch of a sidecar gives its shell.
package enum SidecarCommand: Sendable {
  /// Begin an exchange. There is no other.
  case startExchange(HTTPRequest)
  /// End the exchange; `exchangeEnded` comes all the same.
  case cancelExchange
  /// Post this.
  case report(SidecarReport)
  /// Post this; the fetch has ended.
  case end(SidecarReport)
}

extension ResponseHead {
  /// What the fetch of a sidecar wants to follow this head. It judges any other answer by its status, without the body.
  package var sidecarDemand: HeadDemand { hasWholeContent ? .proceed : .stop }
}

/// One fetch of a sidecar: what happens between the dispatcher and the system, without threads and clocks.
///
/// The body is held in memory: no sidecar is large. When it is complete and is what it should be, it is written into
/// the engine's own folder and synced; the row learns which file that is, and only then the file gets its name, which
/// no other file has. A crash before that leaves a file that the next start removes, a crash after it one that the next
/// fetch finds.
///
/// The product's shell is an `Operation` with an exchange of libcurl; the simulator's is its scheduler.
package struct SidecarAttempt<Files: LibraryFileSystem> {
  private enum Stage {
    case idle
    case requesting
    case reading
    /// The file is complete, and the row is to know it.
    case announced(PublishedFile)
    case ended
  }

  package let fetch: SidecarFetch
  private let files: Files
  /// What an attempt has just fetched from there for its tags.
  private var gathered: [UInt8]?
  private var stage = Stage.idle
  private var body: [UInt8] = []
  private var hasExchange = false
  private var isStopping = false
  /// What the fetch ends with when its exchange has ended.
  private var outcome: SidecarReport.News?
  private var now = Timestamp(milliseconds: 0)
  private var commands: [SidecarCommand] = []

  /// - Parameter gathered: What was fetched from there a moment ago; nil if nothing was.
  package init(_ fetch: SidecarFetch, gathered: [UInt8]? = nil, files: Files) {
    self.fetch = fetch
    self.gathered = gathered
    self.files = files
  }

  /// Whether the fetch has ended: nothing follows.
  package var hasEnded: Bool { if case .ended = stage { true } else { false } }

  /// Takes an event in. Calls of the file system are made here.
  package mutating func handle(_ event: SidecarEvent, at now: ClockReading) -> [SidecarCommand] {
    self.now = now.wall
    switch (event, stage) {
    case (.stop, _): stop()
    case (.begin, .idle): begin()
    case (.head(let head), .requesting): receive(head)
    case (.body(let bytes), .reading): receive(bytes)
    case (.exchangeEnded(let result), _):
      hasExchange = false
      end(result)
    case (.proceed, .announced(let file)): publish(file)
    case (.begin, _), (.head, _), (.body, _), (.proceed, _): break
    }
    defer { commands = [] }
    return commands
  }

  // MARK: The exchange

  private mutating func begin() {
    guard !isStopping else { return finish(.stopped) }
    switch fetch.source {
    case .earlier(let file):
      do throws(FileSystemFailure) {
        finish(try isPublished(file) ? .finished(file) : .unpublished)
      } catch {
        finish(.failed(DownloadError(.io, "\(error)"), retryAfter: nil))
      }
    case .text(let text): complete(Array(text.utf8))
    case .address(let address):
      if let gathered = gathered.take() { return complete(gathered) }
      stage = .requesting
      hasExchange = true
      commands.append(
        .startExchange(
          HTTPRequest(
            to: address, headers: [], settings: fetch.settings, route: fetch.route, reach: fetch.reach,
            session: fetch.session)))
    }
  }

  private mutating func receive(_ head: ResponseHead) {
    guard case .proceed = head.sidecarDemand else {
      return fail(.answered(head, to: "file"), RetryAfter.milliseconds(in: head, now: now))
    }
    guard !head.isCoded else {
      return fail(DownloadError(.notMedia, "the server sent it coded, although it was asked not to"))
    }
    guard head.contentLength ?? 0 <= fetch.kind.maximumBytes else { return fail(SidecarContent.tooLarge(fetch.kind)) }
    stage = .reading
  }

  private mutating func receive(_ bytes: [UInt8]) {
    guard body.count + bytes.count <= fetch.kind.maximumBytes else {
      return fail(SidecarContent.tooLarge(fetch.kind))
    }
    body += bytes
  }

  private mutating func end(_ result: Result<ExchangeSummary, ExchangeFailure>) {
    if isStopping { return finish(.stopped) }
    if let outcome { return finish(outcome) }
    switch (result, stage) {
    case (_, .ended), (_, .idle), (_, .announced): break
    case (.failure(let failure), _): finish(.failed(DownloadError(failure), retryAfter: nil))
    case (.success, .reading): complete(body)
    case (.success, .requesting):
      finish(.failed(DownloadError(.connectionLost, "the server answered nothing"), retryAfter: nil))
    }
  }

  // MARK: The file

  private mutating func complete(_ bytes: [UInt8]) {
    body = []
    do throws(DownloadError) {
      let file = try stage(bytes)
      stage = .announced(file)
      commands.append(.report(SidecarReport(fetch: fetch.id, news: .publishing(file))))
    } catch {
      discard()
      finish(.failed(error, retryAfter: nil))
    }
  }

  /// Writes the file where no client sees it.
  private func stage(_ bytes: [UInt8]) throws(DownloadError) -> PublishedFile {
    let path = try path(withExtension: SidecarContent.fileExtension(of: bytes, as: fetch.kind))
    let (taken, staged): (LibraryPath?, StagedFile?)
    do throws(FileSystemFailure) {
      taken = try takenPlace(besides: path)
      staged =
        taken == nil
        ? try files.stage(bytes, for: fetch.id.sidecar, keepingFree: fetch.settings.reserveFreeBytes) : nil
    } catch {
      throw DownloadError(error.lacksRoom ? .noSpace : .io, "\(error)")
    }
    guard let staged else { throw .placeIsTaken(taken ?? path) }
    return PublishedFile(
      path: path, length: Int64(bytes.count), inode: staged.inode, modifiedNanoseconds: staged.modifiedNanoseconds)
  }

  /// The first place where something lies and nothing may lie; nil if there is none.
  private func takenPlace(besides path: LibraryPath) throws(FileSystemFailure) -> LibraryPath? {
    for place in places(besides: path) {
      if try files.occupant(of: place, portably: fetch.settings.portableNames) != nil { return place }
    }
    return nil
  }

  private func path(withExtension fileExtension: String) throws(DownloadError) -> LibraryPath {
    do throws(LibraryPathError) {
      return try LibraryPath(validating: fetch.stem + "." + fileExtension)
    } catch {
      throw DownloadError(.fileExists, "it cannot be named after its episode's file: \(error)")
    }
  }

  /// Where nothing may lie: a person's picture has any extension of one.
  private func places(besides path: LibraryPath) -> [LibraryPath] {
    guard fetch.kind == .cover || fetch.kind == .picture else { return [path] }
    return ["jpg", "jpeg", "png", "webp"].compactMap { try? LibraryPath(validating: fetch.stem + "." + $0) }
  }

  private mutating func publish(_ file: PublishedFile) {
    guard !isStopping else { return abandon(.stopped) }
    do throws(FileSystemFailure) {
      guard try files.publish(fetch.id.sidecar, as: file, portably: fetch.settings.portableNames) else {
        return abandon(.failed(.placeIsTaken(file.path), retryAfter: nil))
      }
      finish(.finished(file))
    } catch {
      abandon(.failed(DownloadError(.io, "\(error)"), retryAfter: nil))
    }
  }

  /// Whether an engine that has ended has given the file its name. It is made to have it after a power cut too. An
  /// empty file may be that engine's placeholder, which goes.
  private func isPublished(_ file: PublishedFile) throws(FileSystemFailure) -> Bool {
    guard case .file(let present) = try files.look(at: EntryPath(file.path)),
      file.isUntouched(as: present) || present.length == 0
    else { return false }
    return try files.publish(fetch.id.sidecar, as: file, portably: fetch.settings.portableNames)
  }

  private func discard() {
    // What stays in the engine's folder is removed by the next start.
    try? files.discardStaged(fetch.id.sidecar)
  }

  // MARK: The end

  private mutating func fail(_ error: DownloadError, _ retryAfter: Int64? = nil) {
    body = []
    outcome = outcome ?? .failed(error, retryAfter: retryAfter)
    if hasExchange { commands.append(.cancelExchange) } else { end(.failure(.cancelled)) }
  }

  private mutating func stop() {
    guard !hasEnded, !isStopping else { return }
    isStopping = true
    switch stage {
    // Its operation cannot end before it has begun.
    case .idle, .ended: break
    case .announced: abandon(.stopped)
    case .requesting, .reading: if hasExchange { commands.append(.cancelExchange) }
    }
  }

  private mutating func abandon(_ news: SidecarReport.News) {
    discard()
    finish(news)
  }

  private mutating func finish(_ news: SidecarReport.News) {
    guard !hasEnded else { return }
    stage = .ended
    body = []
    commands.append(.end(SidecarReport(fetch: fetch.id, news: news)))
  }
}

extension DownloadError {
  fileprivate static func placeIsTaken(_ path: LibraryPath) -> Self {
    Self(.fileExists, "another file lies at \"\(path)\"")
  }
}
