import Digests
import Flux
import PodfluxCore

/// What attempts find around them, as it is now. Thread safe.
package protocol AttemptSurroundings: Sendable {
  /// How many bytes are to be left free on the disk.
  var reserveFreeBytes: Int64 { get }
  /// Whether the library was given up: from then on no attempt may change a file of it, since it may be another
  /// engine's.
  var isLibraryGivenUp: Bool { get }
}

/// An attempt's file work: carries out its file steps, on one queue. It blocks as long as the disk does.
package struct AttemptFileWork: Sendable {
  private let attempt: Attempt
  private let files: any AttemptFiles
  private let surroundings: any AttemptSurroundings
  /// The open partial.
  package private(set) var partial: (any PartialContents)?
  /// The digests of what the partial holds.
  private var digests: ContentDigests
  /// Whether a tagged copy is to be published.
  private var isTagged = false

  /// Makes the work of an attempt, which has no file open.
  package init(_ attempt: Attempt, files: any AttemptFiles, surroundings: any AttemptSurroundings) {
    self.attempt = attempt
    self.files = files
    self.surroundings = surroundings
    digests = ContentDigests(attempt.digestAlgorithms)
  }

  /// How to go on later with the digests of what the partial holds.
  package var digestStates: [String] { digests.states }

  /// Carries out a step.
  ///
  /// - Parameter isStopping: Asked now and then while a step takes long: whether the attempt is to end.
  package mutating func perform(
    _ step: AttemptTask.FileTask, isStopping: () -> Bool
  ) throws(DownloadError) -> AttemptTask.Outcome {
    switch step {
    case .open(let tail): return try open(tail: tail)
    case .truncate(let length):
      try checkGate()
      try openedPartial().truncate(to: length)
      return .done
    case .followDigests(let states):
      let file = try openedPartial()
      try digests.follow(file, to: file.length(), from: states)
      return .done
    case .compare(let piece, let comparison): return try compare(piece, comparison)
    case .append(let piece): return try append(piece)
    case .synchronize(let believed):
      let file = try openedPartial()
      let length = try file.length()
      if let failure = synchronize(orCutTo: believed, { (file) throws(DownloadError) in try file.synchronize() }) {
        return .synchronizationFailed(failure)
      }
      let hash = try hashTail(ofDurable: length)
      return .synchronized(AttemptTask.Durable(length: length, tailHash: hash, digestStates: digests.states))
    case .synchronizeContents(let believed):
      let failure = synchronize(orCutTo: believed) { (file) throws(DownloadError) in try file.synchronizeContents() }
      return failure.map(AttemptTask.Outcome.synchronizationFailed) ?? .done
    case .hashTail(let durable): return .hashed(try hashTail(ofDurable: durable))
    case .inspect: return try inspect()
    case .name(let facts, let number): return .named(try files.name(for: facts, number: number))
    case .lookForTagParts(let path):
      let file = try openedPartial()
      let surroundings = surroundings
      return .lacks(file.tagParts(for: path) { !surroundings.isLibraryGivenUp && !isStopping() })
    case .prepareToMove(let moment, let request):
      return try prepareToMove(modified: moment, tagging: request, isStopping: isStopping)
    case .publish(let file):
      try checkGate()
      return .published(
        try files.publish(
          attempt.id.download, as: file, isTagged: isTagged, portably: attempt.settings.portableNames))
    }
  }

  /// Closes the partial, and deletes it where the attempt got nothing: a download that has failed has no file then.
  /// Once the library is given up the file may be another engine's.
  package mutating func close() {
    partial?.close(deletingEmpty: !surroundings.isLibraryGivenUp)
    partial = nil
  }

  /// The hash that a record of no durable bytes has.
  static let hashOfNothing = RunningDigest.sha256(of: [])

  private func checkGate() throws(DownloadError) {
    guard surroundings.isLibraryGivenUp else { return }
    throw DownloadError(.io, "the library was given up before the attempt had ended")
  }

  private func openedPartial() throws(DownloadError) -> any PartialContents {
    guard let partial else { throw DownloadError(.io, "the partial file was used before it was open") }
    return partial
  }

  private mutating func open(tail: Range<Int64>?) throws(DownloadError) -> AttemptTask.Outcome {
    try checkGate()
    let file = try files.openPartial(of: attempt.id.download)
    partial = file
    let hash = try tail.map { (range) throws(DownloadError) in try Self.hash(of: file, in: range) }
    return .opened(
      length: try file.length(), tailHash: hash, room: try files.availableBytes(),
      reserve: surroundings.reserveFreeBytes)
  }

  // MARK: Writing

  private func compare(
    _ piece: AttemptTask.Piece, _ comparison: KeptComparison
  ) throws(DownloadError) -> AttemptTask.Outcome {
    try checkGate()
    let file = try openedPartial()
    try checkRoom(for: piece, in: file)
    var comparison = comparison
    var (position, same) = (0, piece.skipped)
    for block in piece.blocks {
      defer { position += block.bytes.count }
      let bytes = UnsafeRawBufferPointer(rebasing: block.bytes.dropFirst(max(0, same - position)))
      switch try comparison.compare(bytes, with: file) {
      case .repeats(let count): same += count
      case .differs(let count):
        return .compared(comparison, same: same + count, differs: true, length: try file.length())
      }
      if comparison.isDone { break }
    }
    return .compared(comparison, same: same, differs: false, length: try file.length())
  }

  private mutating func append(_ piece: AttemptTask.Piece) throws(DownloadError) -> AttemptTask.Outcome {
    try checkGate()
    let file = try openedPartial()
    try checkRoom(for: piece, in: file)
    var position = 0
    var new: [UnsafeRawBufferPointer] = []
    new.reserveCapacity(piece.blocks.count)
    for block in piece.blocks {
      let bytes = block.bytes.dropFirst(max(0, piece.skipped - position))
      if !bytes.isEmpty { new.append(UnsafeRawBufferPointer(rebasing: bytes)) }
      position += block.bytes.count
    }
    try file.append(new)
    for bytes in new { digests.append(bytes) }
    return .appended(length: try file.length())
  }

  /// Makes sure that there is room for the piece. If there is none, the error says what the rest of the file needs.
  private func checkRoom(for piece: AttemptTask.Piece, in file: any PartialContents) throws(DownloadError) {
    let room = try files.availableBytes()
    let reserve = surroundings.reserveFreeBytes
    guard let error = DownloadError.shortage(of: Int64(piece.count), room: room, reserve: reserve) else { return }
    guard let total = piece.total else { throw error }
    let rest = max(Int64(piece.count), total - (try file.length()))
    throw DownloadError.shortage(of: rest, room: room, reserve: reserve) ?? error
  }

  /// Has what a failed sync leaves in doubt cut away before the attempt, or a crash, can do anything with it.
  ///
  /// - Returns: why it failed.
  private func synchronize(
    orCutTo believed: Int64, _ sync: (any PartialContents) throws(DownloadError) -> Void
  ) -> DownloadError? {
    do throws(DownloadError) {
      try sync(try openedPartial())
      return nil
    } catch {
      // If that fails too, the next record still lets no attempt believe more.
      try? perform(cutTo: believed)
      return error
    }
  }

  private func perform(cutTo length: Int64) throws(DownloadError) {
    try checkGate()
    try openedPartial().truncate(to: length)
  }

  private func hashTail(ofDurable durable: Int64) throws(DownloadError) -> String {
    try Self.hash(of: openedPartial(), in: ResumeRecord.tailRange(ofDurable: durable))
  }

  private static func hash(
    of file: any PartialContents, in range: Range<Int64>
  ) throws(DownloadError) -> String {
    RunningDigest.sha256(of: try file.read(offset: range.lowerBound, count: range.count))
  }

  // MARK: The complete file

  private func inspect() throws(DownloadError) -> AttemptTask.Outcome {
    let file = try openedPartial()
    return .contents(
      TransferMachine.Contents(
        length: try file.length(), beginning: try file.read(offset: 0, count: MediaSignature.length),
        digests: digests.values))
  }

  private mutating func prepareToMove(
    modified: Timestamp?, tagging request: TagRequest?, isStopping: () -> Bool
  ) throws(DownloadError) -> AttemptTask.Outcome {
    try checkGate()
    let file = try openedPartial()
    // All is written; the last thing before the file is synced and renamed.
    if let modified { try file.setModificationTime(modified) }
    let surroundings = surroundings
    let movable = try file.prepareToMove(tagging: request, reserve: surroundings.reserveFreeBytes) {
      !surroundings.isLibraryGivenUp && !isStopping()
    }
    // What a stop has ended the machine ends by itself.
    if movable == nil { try checkGate() }
    isTagged = if case .tagged = movable?.tags { true } else { false }
    return .prepared(movable)
  }
}
