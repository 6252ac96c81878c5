/// A client's request to pair files of the library, which no download owns, with episodes (the article Adopting).
///
/// ```swift
/// _ = try await podflux.dispatch(.cleanup(.adopt(.init(folder: "old/2019", mode: .plan))))
/// ```
public struct AdoptRequest: Hashable, Sendable {
  /// The feed whose files are looked for; nil for all feeds.
  public var feed: FeedID?
  /// The folder in which they are looked for, relative to the library; nil for the whole library.
  public var folder: String?
  /// Whether to change anything.
  public var mode: CleanupOptions.Mode

  public init(feed: FeedID? = nil, folder: String? = nil, mode: CleanupOptions.Mode = .apply) {
    self.feed = feed
    self.folder = folder
    self.mode = mode
  }

  /// The request with its folder relative to the library, as stores see it.
  ///
  /// - Parameters:
  ///   - library: The library's absolute path, without links.
  ///   - folder: The absolute path of the folder, without links.
  /// - Throws: `Refusal` for a folder outside of the library: the engine manages only its own.
  package func inside(_ library: String, folder: String) throws(Refusal) -> AdoptRequest {
    func parts(_ path: String) -> [Substring] { path.split(separator: "/").filter { $0 != "." } }
    let (own, asked) = (parts(library), parts(folder))
    guard asked.starts(with: own), !asked.contains("..") else {
      throw Refusal(
        .unsafePath,
        "the folder is not in the library, and the engine manages no other; move the files into the library first",
        path: Self.folderPath)
    }
    var request = self
    let rest = asked.dropFirst(own.count)
    request.folder = rest.isEmpty ? nil : rest.joined(separator: "/")
    return request
  }

  private static let folderPath = "payload.folder"

  /// What the run does.
  ///
  /// - Throws: `Refusal` for a folder that no library can have.
  package var adopting: Adopting {
    get throws {
      // The library itself, and a folder as shells complete it.
      let parts = (folder ?? "").split(separator: "/", omittingEmptySubsequences: false).filter { $0 != "." }
      let text = (parts.last == "" ? parts.dropLast() : parts[...]).joined(separator: "/")
      guard !text.isEmpty else { return Adopting(feed: feed) }
      do throws(LibraryPathError) {
        return Adopting(feed: feed, folder: try LibraryPath(validating: text))
      } catch {
        throw Refusal(.unsafePath, error.description, path: Self.folderPath)
      }
    }
  }
}

/// Which files an adoption run looks at, and for which feeds: an `AdoptRequest` whose folder has been checked.
///
/// Use: `run.adopting`, nil for a run that pairs no files.
public struct Adopting: Hashable, Sendable, Codable {
  /// The feed whose files are looked for; nil for all feeds.
  public var feed: FeedID?
  /// The folder in which they are looked for; nil for the whole library.
  public var folder: LibraryPath?

  package init(feed: FeedID? = nil, folder: LibraryPath? = nil) {
    self.feed = feed
    self.folder = folder
  }

  /// Whether an entry lies in the folder.
  package func includes(_ place: EntryPath) -> Bool {
    guard let folder else { return true }
    return place.bytes.starts(with: Array(folder.description.utf8) + [UInt8(ascii: "/")])
  }
}
