import Flux
import PodfluxCore

/// One thing that an attempt asks its shell to do: on its own queue, outside the attempt's lock, one at a time. It ends
/// with an outcome, which the shell hands to `DownloadAttempt.next(after:at:)`.
package enum AttemptTask: Sendable {
  /// Work on the partial file or the library; `AttemptFileWork` does it.
  case files(FileTask)
  /// Begin to make what is written durable, beside the writing that goes on. Its end is `DownloadAttempt.synchronized`.
  /// Outcome: `synchronizing`.
  case synchronizeBeside
  /// Tell the stores. Outcome: `done`.
  case report(AttemptReport)
  /// Close the partial, forget the attempt, and tell the stores: in this order. No step follows.
  case end(AttemptReport)

  /// Work on files.
  package enum FileTask: Sendable {
    /// Open the partial, and hash this part of it. Outcome: `opened`.
    case open(tail: Range<Int64>?)
    /// Cut the partial. Outcome: `done`.
    case truncate(to: Int64)
    /// Make the digests those of all that the partial holds; what these states cover is not read again. Outcome:
    /// `done`.
    case followDigests(from: [String])
    /// Compare a piece with what is kept. Outcome: `compared`.
    case compare(Piece, KeptComparison)
    /// Append what of a piece is new. Outcome: `appended`.
    case append(Piece)
    /// Make all that is written durable, the file's entry in its folder included; where that fails, cut the partial to
    /// this length at once. Outcome: `synchronized` or `synchronizationFailed`.
    case synchronize(orCutTo: Int64)
    /// Make a complete file's contents durable; where that fails, cut as above. Outcome: `done` or
    /// `synchronizationFailed`.
    case synchronizeContents(orCutTo: Int64)
    /// Hash the end of so many bytes, as a record wants it. Outcome: `hashed`.
    case hashTail(ofDurable: Int64)
    /// Look at the complete file. Outcome: `contents`.
    case inspect
    /// Find a name. Outcome: `named`.
    case name(PublishingFacts, number: Int)
    /// See what is to be fetched for the tags of the complete file, which is to stand there. Outcome: `lacks`.
    case lookForTagParts(for: LibraryPath)
    /// Make the complete file, or a tagged copy of it, one that can be moved to its place, and set its time. Outcome:
    /// `prepared`.
    case prepareToMove(modified: Timestamp?, tagging: TagRequest?)
    /// Move the partial, or its tagged copy, to its place. Outcome: `published`.
    case publish(PublishedFile)
  }

  /// The result of a step that did not fail.
  package enum Outcome: Sendable {
    case done
    /// The partial is open.
    case opened(length: Int64, tailHash: String?, room: Int64, reserve: Int64)
    /// So many bytes of the piece are kept already; then comes what is new, or what differs. The partial has that
    /// length.
    case compared(KeptComparison, same: Int, differs: Bool, length: Int64)
    /// The partial has that length now.
    case appended(length: Int64)
    /// All that the partial holds is durable.
    case synchronized(Durable)
    /// A sync has failed: its bytes may be on the device or not, and a later sync would only seem to succeed.
    case synchronizationFailed(DownloadError)
    /// A sync has begun; these are the states of the digests of what it makes durable.
    case synchronizing(digestStates: [String])
    /// The hash of the end.
    case hashed(String)
    /// The complete file.
    case contents(TransferMachine.Contents)
    /// A name, or nil where there is no other.
    case named(LibraryPath?)
    /// These parts of what tags show are to be fetched.
    case lacks(Set<TagMaterial.Part>)
    /// Which file it is, or nil if it was ended before.
    case prepared(MovableFile?)
    /// The file stands at its place; nil if another has its name.
    case published(Publication?)
  }

  /// What a sync has made durable.
  package struct Durable: Sendable {
    var length: Int64
    /// As a record of that length wants it.
    var tailHash: String
    var digestStates: [String]
  }

  /// A piece of the body on its way to the disk.
  package struct Piece: Sendable {
    /// The bytes.
    package let blocks: [Block]
    /// How many of them are in the partial already.
    package var skipped = 0
    /// How long the whole file is; nil for unknown.
    var total: Int64?
    /// What follows when it is written.
    var purpose = Purpose.stream

    /// How many bytes it has.
    package var count: Int { blocks.reduce(0) { $0 + $1.bytes.count } }

    enum Purpose: Sendable {
      /// More of the body.
      case stream
      /// A sync: another attempt is to go on with it.
      case finish
      /// The file is complete.
      case complete
    }
  }
}

/// What an attempt wants of its shell at once, under its lock. None of it waits.
package enum AttemptCommand: Sendable {
  /// Call `next(after:at:)` on the attempt's queue until it gives nil: one job of file work. Commands of this kind are
  /// carried out one after the other, each once.
  case work
  /// Begin an exchange. There is no other: the last one has ended.
  case startExchange(HTTPRequest)
  /// End the exchange; `finished` comes all the same.
  case cancelExchange
  /// Hand over what was not taken, and go on.
  case resumeExchange
  /// Keep what has been fetched for the tags: a sidecar is about to want the same.
  case keepGathered([UInt8], GatheredFiles.Source)
}
