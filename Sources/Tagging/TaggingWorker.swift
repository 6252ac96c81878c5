import CTagging
import Foundation
import PodfluxCore

/// The process that tags one file, or reads its tags, and may die of it: the program is started again for that, with
/// this word as its only argument. What it parses came from a server, and TagLib is written in C++.
///
/// It gets the order on its stdin, the copy as descriptor 3, and the cover, or /dev/null, as descriptor 4. To read tags
/// it gets the file as descriptor 3, for reading only, and writes what they say, in JSON, into descriptor 4. It opens
/// no file, writes nothing but the copy or the answer, and says with its exit status what came of it. Its limits are
/// its own, so that it ends by itself too if the engine has been killed: nothing refers to its copy then.
///
/// A program that names itself as the tagger begins with this line:
///
/// ```swift
/// if CommandLine.arguments.dropFirst().first == TaggingWorker.argument { exit(TaggingWorker.run()) }
/// ```
public enum TaggingWorker {
  /// The hidden command.
  public static let argument = "tagging-worker"

  static let copy: Int32 = 3
  static let cover: Int32 = 4

  /// Tags the file, or reads its tags. Returns the exit status.
  public static func run() -> Int32 {
    var status = stat()
    guard fstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let order = readOrder() else {
      return WorkerEnd.misused.rawValue
    }
    let picture = order.tags == nil ? nil : readCover()
    guard limit(forBytes: Int64(status.st_size)) else { return WorkerEnd.misused.rawValue }
    return (order.tags.map { tag($0, picture) } ?? answer()).rawValue
  }

  /// Says what the tags of the file are.
  private static func answer() -> WorkerEnd {
    guard let format = TagFormat(beginning: read(copy, count: MediaSignature.length)) else { return .unknownFormat }
    var contents = ctagging_contents()
    defer { ctagging_free(&contents) }
    guard ctagging_read(dup(copy), format.code, &contents) == CTAGGING_DONE else { return .unreadable }
    func text(_ characters: UnsafePointer<CChar>?) -> String? {
      characters.flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    }
    let tags = FileTags(
      title: text(contents.title), album: text(contents.album), date: text(contents.date),
      track: contents.track > 0 ? Int(contents.track) : nil, hasPicture: contents.has_picture != 0 ? true : nil,
      hasChapters: contents.has_chapters != 0 ? true : nil)
    guard let json = try? JSONEncoder().encode(tags) else { return .notWritten }
    let written = json.withUnsafeBytes { pwrite(cover, $0.baseAddress, $0.count, 0) }
    return written == json.count ? .done : .notWritten
  }

  private static func tag(_ order: TagOrder, _ picture: Picture?) -> WorkerEnd {
    guard let format = TagFormat(beginning: read(copy, count: MediaSignature.length)) else { return .unknownFormat }
    let texts = [order.title, order.album, order.date, order.genre].map { $0.map { strdup($0) } }
    defer { for text in texts { free(text ?? nil) } }
    let names = order.chapters.map { strdup($0.title) }
    defer { for name in names { free(name) } }
    let chapters = zip(order.chapters, names).map { chapter, name in
      ctagging_chapter(
        start: UInt32(clamping: chapter.start), end: UInt32(clamping: chapter.end ?? 0), title: UnsafePointer(name))
    }
    return (picture?.bytes ?? []).withUnsafeBufferPointer { bytes in
      chapters.withUnsafeBufferPointer { tag(order, texts, picture, bytes, $0, as: format) }
    }
  }

  private static func tag(
    _ order: TagOrder, _ texts: [UnsafeMutablePointer<CChar>??], _ picture: Picture?,
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ chapters: UnsafeBufferPointer<ctagging_chapter>, as format: TagFormat
  ) -> WorkerEnd {
    var tags = ctagging_tags()
    (tags.title, tags.album) = (UnsafePointer(texts[0] ?? nil), UnsafePointer(texts[1] ?? nil))
    (tags.date, tags.genre) = (UnsafePointer(texts[2] ?? nil), UnsafePointer(texts[3] ?? nil))
    (tags.track, tags.disc) = (Int32(order.track ?? 0), Int32(order.disc ?? 0))
    if let picture {
      (tags.cover, tags.cover_length) = (bytes.baseAddress, bytes.count)
      tags.cover_is_png = picture.isPNG ? 1 : 0
    }
    (tags.chapters, tags.chapter_count) = (chapters.baseAddress, chapters.count)
    // Each call closes its descriptor.
    let written = ctagging_write(dup(copy), format.code, &tags)
    guard written == CTAGGING_DONE else { return written == CTAGGING_UNREADABLE ? .unreadable : .notWritten }
    return ctagging_check(dup(copy), format.code, &tags) == CTAGGING_DONE ? .done : .notWritten
  }

  // MARK: What it gets

  private static func readOrder() -> WorkerOrder? {
    try? JSONDecoder().decode(WorkerOrder.self, from: Data(read(STDIN_FILENO, count: TaggingLimits.orderBytes)))
  }

  private struct Picture {
    var bytes: [UInt8]
    var isPNG: Bool
  }

  /// The cover, if it begins like a JPEG or a PNG.
  private static func readCover() -> Picture? {
    let bytes = read(cover, count: Int(TaggingLimits.coverBytes) + 1)
    guard bytes.count <= TaggingLimits.coverBytes else { return nil }
    switch MediaSignature(bytes.prefix(MediaSignature.length)) {
    case .jpeg: return Picture(bytes: bytes, isPNG: false)
    case .png: return Picture(bytes: bytes, isPNG: true)
    default: return nil
    }
  }

  /// Reads so many bytes of a file from its beginning, or fewer where it ends or cannot be read.
  private static func read(_ file: Int32, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(file, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(filled))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
  }

  // MARK: Limits

  /// Limits what the process may use from now on, for a file of so many bytes. Returns false if the system refuses.
  private static func limit(forBytes length: Int64) -> Bool {
    let seconds = TaggingLimits.seconds(forBytes: length)
    let limits: [(resource: __rlimit_resource, value: UInt64)] = [
      (RLIMIT_AS, mappedBytes + TaggingLimits.memoryBytes),
      (RLIMIT_FSIZE, UInt64(length + TaggingLimits.growthBytes)), (RLIMIT_CPU, UInt64(seconds)),
      (RLIMIT_CORE, 0), (RLIMIT_NOFILE, TaggingLimits.openFiles),
    ]
    for (resource, value) in limits {
      var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
      guard setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return false }
    }
    alarm(UInt32(seconds))
    // Where memory is short all the same, this process is the one to go.
    let score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
    if score >= 0 {
      _ = write(score, "1000", 4)
      close(score)
    }
    return true
  }

  /// How much memory the process has mapped (proc(5), statm).
  private static var mappedBytes: UInt64 {
    let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 1 << 30 }
    defer { close(file) }
    let text = String(decoding: read(file, count: 256), as: UTF8.self)
    let pages = text.split(separator: " ").first.flatMap { UInt64($0) }
    return pages.map { $0 * UInt64(sysconf(Int32(_SC_PAGESIZE))) } ?? 1 << 30
  }
}
