import CLinux
import Foundation
import PodfluxCore

/// Tags copies of files, each in a process of its own that may die of it.
public struct Tagger: Sendable {
  /// The program that calls `TaggingWorker.run()` when it is started with these arguments.
  public struct Program: Hashable, Sendable {
    public var path: String
    public var arguments: [String]

    public init(path: String, arguments: [String]) {
      self.path = path
      self.arguments = arguments
    }

    /// The running program itself, which knows the word; also where its file has been replaced by a newer one.
    public static let itself = Program(path: "/proc/self/exe", arguments: [TaggingWorker.argument])
  }

  /// A picture for a file.
  public enum Cover: Sendable {
    /// In the file of a descriptor, which stays open.
    case file(Int32)
    case bytes([UInt8])
  }

  /// What has come of a copy.
  public enum Outcome: Hashable, Sendable {
    case tagged
    /// It was told to end, and the copy is of no use.
    case stopped
    /// The copy is of no use; the reason is for people.
    case failed(String)
  }

  private let program: Program
  private let seconds: @Sendable (Int64) -> Int

  /// - Parameter seconds: How long the worker may take for a file of so many bytes.
  public init(_ program: Program, seconds: @escaping @Sendable (Int64) -> Int = TaggingLimits.seconds) {
    self.program = program
    self.seconds = seconds
  }

  /// How often it is asked whether to go on, in milliseconds.
  private static let pollMilliseconds: Int32 = 50

  /// Tags a copy, and waits until the worker has ended.
  ///
  /// - Parameters:
  ///   - copy: The copy's descriptor, for reading and writing. What was written is not synced.
  ///   - length: The copy's length in bytes.
  ///   - cover: The cover; nil for none.
  ///   - goOn: Asked 20 times a second; false kills the worker.
  public func tag(
    _ copy: Int32, length: Int64, cover: Cover?, _ order: TagOrder, while goOn: () -> Bool
  ) -> Outcome {
    guard length <= TaggingLimits.fileBytes else {
      return .failed("the file has more than \(TaggingLimits.fileBytes >> 30) GiB")
    }
    var (picture, held) = (Int32?.none, Int32?.none)
    defer { if let held { close(held) } }
    switch cover {
    case nil: break
    case .file(let descriptor): picture = descriptor
    case .bytes(let bytes):
      guard let file = Self.file(of: bytes) else { return Self.notStarted(errno) }
      (picture, held) = (file, file)
    }
    return run(WorkerOrder(tags: order), copy, beside: picture, upToSeconds: seconds(length), while: goOn)
  }

  /// Reads the tags of a file, and waits until the worker has ended. Nil where it has no tags that can be read, for whatever
  /// reason, or was told to stop. Cost: a process, and reading the tags.
  ///
  /// - Parameters:
  ///   - file: The file's descriptor, for reading.
  ///   - goOn: Asked 20 times a second; false kills the worker.
  public func readTags(of file: Int32, while goOn: () -> Bool) -> FileTags? {
    guard let answer = Self.file(of: []) else { return nil }
    defer { close(answer) }
    let outcome = run(
      WorkerOrder(), file, beside: answer, upToSeconds: TaggingLimits.readingSeconds, while: goOn)
    guard outcome == .tagged else { return nil }
    var bytes = [UInt8](repeating: 0, count: TaggingLimits.answerBytes)
    let count = pread(answer, &bytes, bytes.count, 0)
    guard count > 0, var tags = try? JSONDecoder().decode(FileTags.self, from: Data(bytes.prefix(count))) else {
      return nil
    }
    // The worker may have been taken over by what it has read.
    tags.title = tags.title?.cut(toBytes: TaggingLimits.textBytes)
    tags.album = tags.album?.cut(toBytes: TaggingLimits.textBytes)
    return tags
  }

  /// Has a worker do something with a file, and with another one as its descriptor 4.
  private func run(
    _ order: WorkerOrder, _ file: Int32, beside other: Int32?, upToSeconds limit: Int, while goOn: () -> Bool
  ) -> Outcome {
    guard let text = try? JSONEncoder().encode(order), let stdin = Self.file(of: Array(text)) else {
      return Self.notStarted(errno)
    }
    defer { close(stdin) }
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard nothing >= 0 else { return Self.notStarted(errno) }
    defer { close(nothing) }
    let (refusal, child) = spawn(stdin: stdin, copy: file, cover: other ?? nothing, nothing: nothing)
    guard refusal == 0 else { return Self.notStarted(refusal) }
    return wait(for: child, upToSeconds: limit, while: goOn)
  }

  private static func notStarted(_ code: Int32) -> Outcome {
    .failed("the tagger cannot be started: \(String(cString: strerror(code)))")
  }

  private func wait(for child: pid_t, upToSeconds limit: Int, while goOn: () -> Bool) -> Outcome {
    let process = linux_open_process(child)
    let refusal = errno
    defer { if process >= 0 { close(process) } }
    let deadline = Self.milliseconds + Int64(limit) * 1000
    var early: Outcome?
    while process >= 0 {
      var poll = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, Self.pollMilliseconds) > 0 { break }
      if !goOn() { early = .stopped } else if Self.milliseconds >= deadline { early = Self.tookTooLong }
      if early != nil { break }
    }
    if process < 0 { early = Self.notStarted(refusal) }
    // It is a child until it is waited for: its number is no other's.
    if early != nil { kill(child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      // Another part of the program has taken its end: what it was is unknown.
      guard errno == EINTR else { return early ?? .failed("the tagger's end was missed") }
    }
    return early ?? Self.outcome(of: status)
  }

  private static let tookTooLong = Outcome.failed("tagging it took too long")

  private static func outcome(of status: Int32) -> Outcome {
    let signal = status & 0x7F
    switch signal {
    case 0: break
    case SIGXFSZ: return .failed("its copy grew too long")
    case SIGALRM, SIGXCPU: return tookTooLong
    default: return .failed("the tagger died of it (signal \(signal))")
    }
    let code = status >> 8 & 0xFF
    guard let end = WorkerEnd(rawValue: code) else { return .failed("the tagger ended with status \(code)") }
    return end.reason.map(Outcome.failed) ?? .tagged
  }

  private static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  // MARK: The child

  private func spawn(
    stdin: Int32, copy: Int32, cover: Int32, nothing: Int32
  ) -> (refusal: Int32, child: pid_t) {
    // Numbers of the engine may be those of the worker: they are moved out of the way first.
    let held = [stdin, copy, cover, nothing].map { fcntl($0, F_DUPFD_CLOEXEC, Self.firstFreeNumber) }
    defer { for number in held where number >= 0 { close(number) } }
    guard held.allSatisfy({ $0 >= 0 }) else { return (errno, 0) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let numbers: [(Int32, Int32)] = [
      (held[0], STDIN_FILENO), (held[3], STDOUT_FILENO), (held[3], STDERR_FILENO), (held[1], TaggingWorker.copy),
      (held[2], TaggingWorker.cover),
    ]
    for (source, number) in numbers { posix_spawn_file_actions_adddup2(&actions, source, number) }
    let refusal = linux_add_closing_from(&actions, TaggingWorker.cover + 1)
    guard refusal == 0 else { return (refusal, 0) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments = ([program.path] + program.arguments).map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = Self.environment.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, program.path, &actions, &attributes, &arguments, &environment)
    return (code, child)
  }

  /// Above the numbers of the worker.
  private static let firstFreeNumber: Int32 = 10
  /// Nothing of the engine's environment: it may hold secrets. The path of libraries is kept for builds that need it.
  private static var environment: [String] {
    getenv("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=" + String(cString: $0)] } ?? []
  }

  /// A file in memory with these bytes, read from its beginning: unlike a pipe, it waits for no reader. Nil with errno.
  private static func file(of bytes: [UInt8]) -> Int32? {
    let file = linux_memory_file("podflux-tags")
    guard file >= 0 else { return nil }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(file, $0.baseAddress.map { $0 + written }, $0.count - written, off_t(written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = errno
        close(file)
        errno = reason
        return nil
      }
      written += count
    }
    return file
  }
}
