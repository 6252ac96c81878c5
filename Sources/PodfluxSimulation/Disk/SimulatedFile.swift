import Flux
import PodfluxCore

/// A file on the simulated disk: what a reader sees, and what a power cut would leave of it.
final class SimulatedFile {
  let inode: UInt64
  /// The download that has written it; nil for a file of a person.
  let writer: DownloadID?
  private(set) var content: [UInt8] = []
  /// How much of the content is on the device.
  private(set) var syncedLength = 0
  /// What was on the device before a truncation that is not synced: a power cut may bring it back.
  private var beforeTruncation: [UInt8]?
  /// How much of the content no power cut can have torn; nil for all of it.
  private(set) var untornLength: Int?
  /// From where on the device will never have the bytes, even if a later sync succeeds; nil for nowhere.
  private var lostFrom: Int?
  /// Whether the file's name in its folder is on the device.
  private(set) var isNameSynced = false
  /// Whether it has, or had, more than one name (link(2)).
  var hasManyNames = false
  /// Whether a person has changed it after it was published.
  private(set) var isDamaged = false
  /// Whether a person has edited it after it was published, as a tagger does.
  private(set) var isEdited = false
  /// When it was written to last. Only who writes moves it on.
  private(set) var modified: Int64 = 0

  init(inode: UInt64, writer: DownloadID? = nil) {
    self.inode = inode
    self.writer = writer
  }

  /// Whether another download than this one has written it.
  func isWritten(byAnotherThan id: DownloadID) -> Bool { writer.map { $0 != id } ?? false }

  /// What begins with this byte is no media; no version of an origin's does.
  static let spoilt: UInt8 = 0xFF

  var isMedia: Bool { content.first.map { $0 != Self.spoilt } ?? false }

  var length: Int { content.count }

  func append(_ bytes: some Collection<UInt8>) {
    content.append(contentsOf: bytes)
    modified += 1
  }

  func truncate(to length: Int) {
    if let untorn = untornLength, length <= untorn { untornLength = nil }
    if let lost = lostFrom, length <= lost { lostFrom = nil }
    guard length < content.count else { return }
    if length < syncedLength {
      if beforeTruncation == nil { beforeTruncation = Array(content[..<syncedLength]) }
      syncedLength = length
    }
    content.removeLast(content.count - length)
  }

  /// The contents are on the device. The name of a new file need not be.
  func synchronizeContents() {
    syncedLength = min(content.count, lostFrom ?? .max)
    beforeTruncation = nil
  }

  /// A sync fails: what it was to bring to the device never gets there.
  func failToSynchronize() {
    if syncedLength < content.count { lostFrom = min(lostFrom ?? .max, syncedLength) }
  }

  /// Contents and name are on the device.
  func synchronize() {
    synchronizeContents()
    isNameSynced = true
  }

  func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
    content[range.clamped(to: 0..<content.count)]
  }

  func hash(of range: Range<Int>) -> String {
    var hash = StableHash()
    content.withUnsafeBytes { hash.mix(UnsafeRawBufferPointer(rebasing: $0[range.clamped(to: 0..<content.count)])) }
    return String(hash.value, radix: 16)
  }

  /// Of the whole content.
  var hash: String { hash(of: 0..<content.count) }

  // MARK: Misfortune

  /// What the device holds when the power comes back.
  func losePower(using random: inout SeededGenerator) {
    if let old = beforeTruncation, random.once(in: 2) {
      content = old
    } else if syncedLength < content.count {
      // Of what was not synced a part survives; pages of that may be empty.
      content.removeLast(random.below(content.count - syncedLength + 1))
      loseUnsyncedPages(using: &random)
      if syncedLength < content.count { untornLength = min(untornLength ?? .max, syncedLength) }
    }
    syncedLength = content.count
    beforeTruncation = nil
    lostFrom = nil
    isNameSynced = true
  }

  private func loseUnsyncedPages(using random: inout SeededGenerator) {
    var page = syncedLength
    while page < content.count {
      let end = min(content.count, (page / 4096 + 1) * 4096)
      if random.once(in: 3) {
        for index in page..<end { content[index] = 0 }
      }
      page = end
    }
  }

  /// A person changes it when it is complete, and no power cut undoes that.
  func damage(using random: inout SeededGenerator) {
    let (before, time) = (content, modified)
    tamper(using: &random)
    synchronize()
    isDamaged = isDamaged || content != before
    modified = time
  }

  /// A person edits it: a tag in front of it, or another of the same length; or it is overwritten by what is no media.
  func edit(at time: Int64, spoiling: Bool, using random: inout SeededGenerator) {
    if spoiling {
      content = [Self.spoilt] + content.dropFirst(random.below(2))
      isDamaged = true
    } else if random.once(in: 2), !content.isEmpty {
      content[0] = UInt8(random.below(200))
      isEdited = true
    } else {
      content = (0..<random.within(1...200)).map { UInt8($0) } + content
      isEdited = true
    }
    modified = time
    synchronize()
  }

  /// A person sets its time.
  func touch(at time: Int64) {
    modified = time
  }

  /// A person changes it behind the engine's back.
  func tamper(using random: inout SeededGenerator) {
    guard !content.isEmpty else { return }
    switch random.below(3) {
    case 0: truncate(to: random.below(content.count))
    case 1: content[max(0, content.count - 1 - random.below(500))] ^= 0x55
    default: content.append(contentsOf: (0..<random.within(1...300)).map { _ in 0x2A })
    }
  }
}

extension SimulatedFile: ReadableContents {
  func read(offset: Int64, count: Int) -> [UInt8] {
    Array(bytes(Int(offset)..<(Int(offset) + count)))
  }
}
