import Flux

/// The files that attempts work on, as the core sees them.
package protocol AttemptFiles: Sendable {
  /// Opens the partial file of a download; makes an empty one if there is none.
  func openPartial(of download: DownloadID) throws(DownloadError) -> any PartialContents
  /// How many bytes can be written now.
  func availableBytes() throws(DownloadError) -> Int64
  /// A name for the complete file: the client's own, or one made of what is known. Each higher number gives another.
  ///
  /// - Returns: nil where there is no other name to try: the client's own is taken.
  func name(for facts: PublishingFacts, number: Int) throws(DownloadError) -> LibraryPath?
  /// Moves the complete partial, or its tagged copy, to its place, never over another file, and syncs the place.
  ///
  /// `portably` says whether a name that differs from another in case or normalization only counts as taken.
  /// - Returns: nil if another file has that name.
  func publish(
    _ download: DownloadID, as file: PublishedFile, isTagged: Bool, portably: Bool
  ) throws(DownloadError) -> Publication?
}

/// A file has got its name.
package struct Publication: Hashable, Sendable {
  /// The folders that were made for it, the outermost first.
  package var madeFolders: [LibraryPath]
  /// See `PublishedFile.modifiedNanoseconds`.
  package var modifiedNanoseconds: Int64?

  /// Describes a publication; of a file of which nothing more is known, by default.
  package init(madeFolders: [LibraryPath] = [], modifiedNanoseconds: Int64? = nil) {
    self.madeFolders = madeFolders
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

/// Bytes that can be read anywhere.
package protocol ReadableContents {
  /// Bytes from an offset; fewer where they end.
  func read(offset: Int64, count: Int) throws(DownloadError) -> [UInt8]
}

/// An open partial file.
package protocol PartialContents: ReadableContents, Sendable {
  /// Its length in bytes.
  func length() throws(DownloadError) -> Int64
  /// What is to be fetched for the tags of the complete file, as far as its feed names it: what its format takes, and
  /// what neither is in it nor lies in its folder.
  ///
  /// - Parameters:
  ///   - path: Where it is to stand.
  ///   - goOn: Asked now and then while that takes time; false where it must end.
  func tagParts(for path: LibraryPath, while goOn: () -> Bool) -> Set<TagMaterial.Part>
  /// Makes the complete file one that can be moved to its place, and tells which file that is: moving keeps the number.
  /// Where the library is on another disk, or tags are wanted, it is copied there. The partial itself stays as it is.
  /// That a copy cannot be tagged is no failure: then the file is published without tags.
  ///
  /// A second call, after a name has turned out to be taken, gives the same file.
  ///
  /// - Parameters:
  ///   - request: The tags that are wanted; nil for none.
  ///   - reserve: How much is to stay free on the library's disk, in bytes.
  ///   - goOn: Asked now and then while that takes time; false where it must end.
  /// - Returns: nil if it was ended.
  func prepareToMove(
    tagging request: TagRequest?, reserve: Int64, while goOn: () -> Bool
  ) throws(DownloadError) -> MovableFile?
  /// Writes blocks at the end, one after the other. Fails where the file is gone or has another length than what was
  /// written made it.
  func append(_ blocks: [UnsafeRawBufferPointer]) throws(DownloadError)
  /// Has the file say that it was last changed at a moment. Where the file system does not take that, nothing happens.
  func setModificationTime(_ moment: Timestamp) throws(DownloadError)
  /// Cuts the file off.
  func truncate(to length: Int64) throws(DownloadError)
  /// Makes what was written survive a power cut, if the file's entry in its folder does.
  func synchronizeContents() throws(DownloadError)
  /// Makes what was written, and the file's entry in its folder, survive a power cut.
  func synchronize() throws(DownloadError)
  /// Closes it. A file without a byte is deleted, if that is wanted: an attempt that got nothing leaves nothing.
  func close(deletingEmpty: Bool)
}

/// The facts from which the name of a complete file is made.
package struct PublishingFacts: Hashable, Sendable {
  /// The client's description of the download.
  package var description: Download.Description
  /// The address at which the file was requested.
  package var address: WebAddress
  /// The server's `Content-Disposition`.
  package var contentDisposition: String?
  /// The server's `Content-Type`.
  package var contentType: String?
  /// How the file begins: at most `MediaSignature.length` bytes.
  package var beginning: [UInt8]
  /// What the settings said when the attempt began.
  package var settings: Settings
  /// The template, and what it can say of the episode.
  package var naming: DownloadNaming
  /// The extension that the file has already; nil for a new file.
  package var fileExtension: String?

  /// Collects what is known.
  package init(
    description: Download.Description, address: WebAddress, contentDisposition: String? = nil,
    contentType: String? = nil, beginning: [UInt8] = [], settings: Settings, naming: DownloadNaming = .init(),
    fileExtension: String? = nil
  ) {
    self.description = description
    self.address = address
    self.contentDisposition = contentDisposition
    self.contentType = contentType
    self.beginning = beginning
    self.settings = settings
    self.naming = naming
    self.fileExtension = fileExtension
  }
}
