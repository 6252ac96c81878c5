import PodfluxCore

/// Checks of files that are published with tags.
extension InvariantChecker {
  /// What was downloaded, of a file that has just been published: the file itself, or what it is a tagged copy of.
  func downloaded(_ file: SimulatedFile, _ published: PublishedFile, of row: Download) throws -> [UInt8] {
    let tagless = SimulatedTags.original(of: file.content)
    guard let original = row.original else {
      guard tagless == nil else { throw Violation(.tags, "\(row.id) is tagged, and its row does not know it") }
      return file.content
    }
    guard let content = tagless else { throw Violation(.tags, "\(row.id) is said to be tagged, and is not") }
    guard SimulatedTags.original(of: content) == nil else { throw Violation(.tags, "\(row.id) is tagged twice") }
    guard original.length == content.count, row.progress.total == original.length,
      original.sha256.map({ $0 == Self.digest(of: content, .sha256).hexadecimal }) ?? true
    else {
      throw Violation(.tags, "the row of \(row.id) says \(original) of \(content.count) downloaded bytes")
    }
    guard (original.sha256 == nil) == (published.sha256 == nil),
      published.sha256.map({ $0 == Self.digest(of: file.content, .sha256).hexadecimal }) ?? true
    else {
      throw Violation(.tags, "the tagged copy of \(row.id) has another digest than its row says")
    }
    return content
  }

  /// A file has been tagged, or was to be: what was downloaded is what it was.
  func hasTagged(_ file: SimulatedFile, of download: DownloadID, before content: [UInt8]) throws {
    guard file.content != content else { return }
    throw Violation(.tags, "the bytes of \(download) that were downloaded are changed")
  }

  // MARK: What tags show

  /// An attempt may fetch what its episode's row names, and nothing else.
  func willGather(_ attempt: Attempt, in process: SimulatedProcess) throws {
    guard let sources = attempt.tagSources?.sources else { return }
    let rows = feeds.episodes.values.filter { $0.download == attempt.id.download }
    for (part, source) in sources {
      let isNamed = rows.contains { row in
        switch part {
        case .chapters: row.content.chapters == source.address
        case .picture: row.content.image == source.address
        case .cover: source.address.description.contains("/picture/")
        }
      }
      guard isNamed else {
        throw Violation(.tags, "\(attempt.id.download) gets its \(part) from \(source.address), which is another's")
      }
    }
  }

  /// An attempt asks for a part, over a path that policy allows.
  func willAsk(forPartAt url: String, _ attempt: Attempt, in process: SimulatedProcess) throws {
    let stores = process.dispatcher.state
    let obstacles = stores.downloads.obstacles
    guard let host = try? WebAddress(url).host, obstacles.needsPath(host),
      let obstacle = stores.settings.settings.network.artwork == .any ? obstacles.any : obstacles.unmetered
    else { return }
    throw Violation(.obstacles, "\(attempt.id.download) fetches \(url), and \(obstacle) stands in the way")
  }

  /// Bytes of a part have come.
  func willTake(partBytes count: Int, over path: NetworkPath, _ attempt: SimulatedAttempt) throws {
    guard path.status == .online else {
      throw Violation(.path, "\(count) bytes for the tags of \(attempt.download) come while there is no path")
    }
    guard !isForbidden(path, toArtworkOf: attempt.process) else {
      throw Violation(
        .path,
        "\(count) bytes for the tags of \(attempt.download) come over \(path.device ?? "?"), which the engine knows is "
          + "metered")
    }
    traffic[attempt.attempt.id]?.wire += Int64(count)
  }

  /// A part has come as a whole.
  func hasServed(_ body: [UInt8], from url: String, to attempt: Attempt) {
    guard let part = attempt.tagSources?.sources.first(where: { $0.value.address.description == url })?.key,
      SimulatedSidecars.isWhole(body, as: part)
    else { return }
    served[attempt.id, default: [:]][part] = body
  }

  /// A file is about to be tagged: with all that has come as a whole, and nothing else.
  func hasGathered(_ material: TagMaterial, for attempt: Attempt) throws {
    let whole = served[attempt.id] ?? [:]
    guard material.parts != whole else { return }
    let (parts, came) = (material.parts.keys.map(\.rawValue).sorted(), whole.keys.map(\.rawValue).sorted())
    throw Violation(.tags, "the tags of \(attempt.id.download) show \(parts), and what has come as a whole is \(came)")
  }
}
