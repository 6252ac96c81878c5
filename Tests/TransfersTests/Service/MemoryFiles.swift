import Flux
import PodfluxCore
import Synchronization

/// The file of one download, in memory.
final class MemoryFiles: AttemptFiles {
  private let available: Int64
  private let partial = MemoryPartial()

  /// Makes a file on a disk with so many free bytes.
  init(available: Int64 = 1 << 40) {
    self.available = available
  }

  /// What has been written.
  var contents: [UInt8] { partial.contents }

  func openPartial(of download: DownloadID) throws(DownloadError) -> any PartialContents { partial }

  func availableBytes() throws(DownloadError) -> Int64 { available }

  func name(for facts: PublishingFacts, number: Int) throws(DownloadError) -> LibraryPath? {
    try? LibraryPath(validating: "file-\(number).mp3")
  }

  func publish(
    _ download: DownloadID, as file: PublishedFile, isTagged: Bool, portably: Bool
  ) throws(DownloadError) -> Publication? {
    Publication()
  }
}

private final class MemoryPartial: PartialContents {
  private let bytes = Mutex<[UInt8]>([])

  var contents: [UInt8] { bytes.withLock { $0 } }

  func length() throws(DownloadError) -> Int64 { bytes.withLock { Int64($0.count) } }
  func tagParts(for path: LibraryPath, while goOn: () -> Bool) -> Set<TagMaterial.Part> { [] }
  func prepareToMove(
    tagging request: TagRequest?, reserve: Int64, while goOn: () -> Bool
  ) throws(DownloadError) -> MovableFile? { MovableFile(inode: 1) }
  func append(_ blocks: [UnsafeRawBufferPointer]) throws(DownloadError) { bytes.withLock { $0 += blocks.joined() } }
  func synchronizeContents() throws(DownloadError) {}
  func synchronize() throws(DownloadError) {}
  func setModificationTime(_ moment: Timestamp) throws(DownloadError) {}
  func close(deletingEmpty: Bool) {}

  func truncate(to length: Int64) throws(DownloadError) {
    bytes.withLock { $0.removeLast($0.count - Int(length)) }
  }

  func read(offset: Int64, count: Int) throws(DownloadError) -> [UInt8] {
    bytes.withLock { Array($0.dropFirst(Int(offset)).prefix(count)) }
  }
}
