import CLinux
import Foundation
import PodfluxCore
import Processes

/// Tags copies of files, each in a process of its own that may die of it. The engine has one if its configuration names
/// the program: `EngineConfiguration.tagger`.
///
/// ```swift
/// configuration.tagger = Tagger.Program.itself
/// ```
public struct Tagger: Sendable {
  /// The program that calls `TaggingWorker.run()` when it is started with these arguments.
  ///
  /// ```swift
  /// configuration.tagger = Tagger.Program(path: "/usr/bin/my-player", arguments: [TaggingWorker.argument])
  /// ```
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
  package enum Cover: Sendable {
    /// In the file of a descriptor, which stays open.
    case file(Int32)
    case bytes([UInt8])
  }

  /// The result of tagging a copy.
  package enum Outcome: Hashable, Sendable {
    case tagged
    /// The tagger was told to end, and the copy is of no use.
    case stopped
    /// The copy is of no use; the reason is for people.
    case failed(String)
  }

  private let program: Program
  private let seconds: @Sendable (Int64) -> Int

  /// - Parameter seconds: How long the worker may take for a file of so many bytes.
  package init(_ program: Program, seconds: @escaping @Sendable (Int64) -> Int = TaggingLimits.seconds) {
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
  package func tag(
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
      do throws(ChildProgram.StartFailure) {
        let file = try Self.file(of: bytes)
        (picture, held) = (file, file)
      } catch {
        return Self.notStarted(because: error)
      }
    }
    return run(WorkerOrder(tags: order), copy, beside: picture, upToSeconds: seconds(length), while: goOn)
  }

  /// Reads the tags of a file, and waits until the worker has ended. Nil where it has no tags that can be read, for any
  /// reason, or was told to stop. Cost: a process, and reading the tags.
  ///
  /// - Parameters:
  ///   - file: The file's descriptor, for reading.
  ///   - goOn: Asked 20 times a second; false kills the worker.
  package func readTags(of file: Int32, while goOn: () -> Bool) -> FileTags? {
    guard let answer = try? Self.file(of: []) else { return nil }
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
    guard let text = try? JSONEncoder().encode(order) else { return .failed("what the tagger is to do cannot be told") }
    let child: pid_t
    do throws(ChildProgram.StartFailure) {
      child = try start(with: Array(text), file, beside: other)
    } catch {
      return Self.notStarted(because: error)
    }
    return wait(for: child, upToSeconds: limit, while: goOn)
  }

  /// Starts a worker, whose descriptors are these in order: see `TaggingWorker`.
  private func start(
    with order: [UInt8], _ file: Int32, beside other: Int32?
  ) throws(ChildProgram.StartFailure) -> pid_t {
    let stdin = try Self.file(of: order)
    defer { close(stdin) }
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nothing >= 0 else { throw ChildProgram.StartFailure() }
    defer { close(nothing) }
    // Nothing of the engine's environment: it may hold secrets. The path of libraries is kept for builds that need it.
    let paths = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=" + String(cString: $0) }
    return try ChildProgram(words: [program.path] + program.arguments, environment: paths.map { [$0] } ?? [])
      .start(descriptors: [stdin, nothing, nothing, file, other ?? nothing])
  }

  private static func file(of bytes: [UInt8]) throws(ChildProgram.StartFailure) -> Int32 {
    try MemoryFile.open("podflux-tags", with: bytes)
  }

  private static func notStarted(because failure: ChildProgram.StartFailure) -> Outcome {
    .failed("the tagger cannot be started: \(failure)")
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
    if process < 0 { early = Self.notStarted(because: .init(code: refusal)) }
    // The worker stays a child until it is waited for, so no other process has its number.
    if early != nil { kill(child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      // Another part of the program has waited for the worker: its exit status is unknown.
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
}
