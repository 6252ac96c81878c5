import Flux
import PodfluxCore

@testable import EngineRuntime

/// One download's file, in memory. A test uses it from one thread.
final class FakeFiles: AttemptFiles, AttemptSurroundings, PartialContents, @unchecked Sendable {
  // `@unchecked`: see above.

  private(set) var bytes: [UInt8] = []
  /// How many of them a sync has reached.
  private(set) var durable = 0
  private(set) var published: [PublishedFile] = []
  /// Whether a tagged copy was to be published, each time.
  private(set) var publishedTagged: [Bool] = []
  /// The tags that were asked for.
  private(set) var requests: [TagRequest?] = []
  /// What is to be fetched for tags.
  var parts = Set(TagMaterial.Part.allCases)
  /// What comes of tagging.
  var tagOutcome = TagOutcome.untagged(because: "no tagger")
  private(set) var isOpen = false
  /// How often the file, or its name, was changed.
  private(set) var changes = 0
  var room: Int64 = 1 << 40
  var reserveFreeBytes: Int64 = 0
  var isLibraryGivenUp = false
  /// What the next call of that kind fails with.
  var failures: [Call: DownloadError] = [:]
  /// What is asked while the file is made ready to be moved.
  var whilePreparing: () -> Void = {}
  /// How many of the names that are found are taken.
  var takenNames = 0

  /// Bytes that cannot be read.
  var unreadable: Range<Int64>?

  enum Call { case append, synchronize, publish, name, truncate }

  init(_ bytes: [UInt8] = []) {
    self.bytes = bytes
    durable = bytes.count
  }

  private func fail(_ call: Call) throws(DownloadError) {
    if let failure = failures.removeValue(forKey: call) { throw failure }
  }

  func openPartial(of download: DownloadID) throws(DownloadError) -> any PartialContents {
    isOpen = true
    return self
  }

  func availableBytes() -> Int64 { room }

  func name(for facts: PublishingFacts, number: Int) throws(DownloadError) -> LibraryPath? {
    try fail(.name)
    return try? LibraryPath(validating: "file-\(number).mp3")
  }

  func tagParts(for path: LibraryPath, while goOn: () -> Bool) -> Set<TagMaterial.Part> { parts }

  func publish(
    _ download: DownloadID, as file: PublishedFile, isTagged: Bool, portably: Bool
  ) throws(DownloadError) -> Publication? {
    publishedTagged.append(isTagged)
    try fail(.publish)
    changes += 1
    guard takenNames == 0 else {
      takenNames -= 1
      return nil
    }
    published.append(file)
    return Publication()
  }

  func length() -> Int64 { Int64(bytes.count) }

  func prepareToMove(tagging request: TagRequest?, reserve: Int64, while goOn: () -> Bool) -> MovableFile? {
    requests.append(request)
    whilePreparing()
    return goOn() ? MovableFile(inode: 7, tags: request == nil ? .notWanted : tagOutcome) : nil
  }

  /// Where it fails half of the bytes are written.
  func append(_ blocks: [UnsafeRawBufferPointer]) throws(DownloadError) {
    changes += 1
    let new = blocks.flatMap { Array($0) }
    if failures[.append] != nil { bytes += new.prefix(new.count / 2) }
    try fail(.append)
    bytes += new
  }

  func setModificationTime(_ moment: Timestamp) {}

  func truncate(to length: Int64) throws(DownloadError) {
    try fail(.truncate)
    changes += 1
    bytes.removeLast(max(0, bytes.count - Int(length)))
    durable = min(durable, bytes.count)
  }

  func synchronize() throws(DownloadError) {
    try fail(.synchronize)
    durable = bytes.count
  }

  func synchronizeContents() throws(DownloadError) { try synchronize() }
  func close(deletingEmpty: Bool) { isOpen = false }

  func read(offset: Int64, count: Int) throws(DownloadError) -> [UInt8] {
    guard unreadable?.overlaps(offset..<offset + Int64(count)) != true else { throw DownloadError(.io, "unreadable") }
    return Array(bytes.dropFirst(Int(offset)).prefix(count))
  }
}

/// Memory that is used again.
final class FakeMemory: BlockMemory, @unchecked Sendable {
  // `@unchecked`: a test uses it from one thread.

  private var idle: [Block] = []

  func take() -> Block { idle.popLast() ?? Block() }

  func giveBack(_ blocks: [Block]) {
    for block in blocks { block.clear() }
    idle += blocks
  }
}
