import Foundation
import Synchronization

/// A real `podflux run` child, driven through its stdin as any program would: for tests, the demo and benchmarks.
///
/// Blocking calls wait for a condition with a bound and throw `Failure` when it passes; nothing sleeps. In tests each line
/// is held against the protocol's schema before it is shown: one that does not fit makes every wait fail from then on.
public final class PodfluxProcess: Sendable {
  /// What went wrong, in words for a person.
  public struct Failure: Error, CustomStringConvertible {
    /// What went wrong.
    public let description: String

    /// Makes a failure.
    public init(_ description: String) {
      self.description = description
    }
  }

  /// How a child has ended, and what it used.
  public struct Ending: Sendable {
    /// The exit status; nil if a signal ended it.
    public var status: Int32?
    /// The signal that ended it.
    public var signal: Int32?
    /// User and system time of the processor, in seconds.
    public var cpuSeconds: Double
    /// The largest resident memory, in bytes.
    public var peakResidentBytes: Int64
  }

  private struct State {
    var lines: [String] = []
    /// What the child may say by what it has been asked.
    var kind = LineJudge.Kind.output
    /// What is wrong with a line that it has said.
    var fault: String?
    /// The lines before this one have been handed out.
    var next = 0
    var ending: Ending?
    var isInputOpen = true
    var lastID = 0
  }

  /// The child's process id.
  public let pid: pid_t
  private let child: Child
  private var input: Int32 { child.input }
  /// The child's output until somebody reads it.
  private let output: Mutex<Int32?>
  /// Has something to read when the output is no longer to be read.
  private let hangingUp = Pipe()
  /// In tests, who judges each line before anybody waits for it in vain or reads it.
  private let judge: LineJudge?
  private let state = Mutex(State())
  /// Signalled at every line and at the end.
  private let news = NSCondition()

  /// The `podflux` that was built beside this executable, or the one that PODFLUX_BINARY names.
  public static var executablePath: String {
    if let path = ProcessInfo.processInfo.environment["PODFLUX_BINARY"] { return path }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("podflux").path
  }

  /// Starts a child.
  ///
  /// - Parameters:
  ///   - library: The library's folder.
  ///   - arguments: More arguments of `podflux run`.
  ///   - logPath: Where the child's stderr goes.
  ///   - environment: Variables that it has beside, or instead of, this process's own.
  ///   - isListening: Whether its lines are read from the start; otherwise not before `listen()`.
  ///   - executable: The program, `podflux` or one that speaks like it.
  ///   - launcher: The words before the program, where another one becomes it (`NetworkNamespace.launcher`).
  public init(
    library: String, arguments: [String] = [], logPath: String = "/dev/null", environment: [String: String] = [:],
    isListening: Bool = true, executable: String = PodfluxProcess.executablePath,
    launcher: [String] = []
  ) throws {
    judge = try LineJudge.forTests()
    child = try Child(
      launcher + [executable, "run", "--library", library] + arguments, logPath: logPath, environment: environment)
    pid = child.pid
    output = Mutex(child.output)
    if isListening { listen() }
  }

  /// Begins to read the child's lines.
  public func listen() {
    guard let output = takeOutput() else { return }
    follow { self.read(output, pieceBytes: 256 << 10, pauseMilliseconds: 0) }
  }

  /// Begins to read the child's lines as a slow client does: little at a time, with a pause behind each piece.
  public func trickle(pieceBytes: Int, pauseMilliseconds: Int32) {
    guard let output = takeOutput() else { return }
    follow { self.read(output, pieceBytes: pieceBytes, pauseMilliseconds: pauseMilliseconds) }
  }

  /// Closes the child's output, as a client that dies does: what has not been read by then never is.
  public func hangUp() {
    guard let output = takeOutput() else {
      hangingUp.fileHandleForWriting.write(Data([0]))
      return
    }
    close(output)
    follow {}
  }

  private func takeOutput() -> Int32? {
    output.withLock { output in
      defer { output = nil }
      return output
    }
  }

  // MARK: Speaking

  /// Writes bytes to the child's stdin. A child that has ended takes none.
  public func send(bytes: [UInt8]) throws {
    if Self.asksForFields(bytes) { state.withLock { $0.kind = .partialOutput } }
    try child.write(bytes)
  }

  /// Whether a line may ask for some keys of items only. Tests send megabytes, so that Foundation looks for it:
  /// it is optimized.
  private static func asksForFields(_ bytes: [UInt8]) -> Bool {
    Data(bytes).range(of: fields) != nil
  }

  private static let fields = Data("\"fields\"".utf8)

  /// Writes a line.
  public func send(line: String) throws {
    try send(bytes: Array((line + "\n").utf8))
  }

  /// An id that no line of this child has had.
  func nextID() -> String {
    state.withLock { state in
      state.lastID += 1
      return "ask-\(state.lastID)"
    }
  }

  /// Waits until the child has taken no input for so long although there is some.
  public func waitUntilInputIsStuck(forMilliseconds milliseconds: Int32 = 300, upTo seconds: Double = 20) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    var descriptor = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
    while poll(&descriptor, 1, milliseconds) != 0 {
      guard Date() < deadline else { throw Failure("the child still takes input after \(seconds) s") }
    }
  }

  /// Ends the child's input.
  public func closeInput() {
    let shouldClose = state.withLock { state in
      defer { state.isInputOpen = false }
      return state.isInputOpen
    }
    if shouldClose { close(input) }
  }

  /// Sends the child a signal.
  public func signal(_ number: Int32) {
    // While the child has not been reaped its id is its own.
    state.withLock { state in
      guard state.ending == nil else { return }
      Foundation.kill(pid, number)
    }
  }

  // MARK: Listening

  /// All lines so far.
  public var lines: [String] { state.withLock { $0.lines } }

  /// What is wrong with a line so far, by the protocol's schema.
  public var fault: String? { state.withLock { $0.fault } }

  /// Waits for the next line that satisfies the condition, and passes over those before it.
  @discardableResult
  public func wait(upTo seconds: Double = 20, for what: String, _ condition: (String) -> Bool) throws -> String {
    let found = try waitUntil(upTo: seconds, what) { state -> String? in
      guard let index = state.lines[state.next...].firstIndex(where: condition) else { return nil }
      state.next = index + 1
      return state.lines[index]
    }
    return found
  }

  /// Waits for the first line.
  @discardableResult
  public func waitUntilReady(upTo seconds: Double = 20) throws -> String {
    try wait(upTo: seconds, for: "engine/ready") { $0.contains("\"engine/ready\"") }
  }

  /// Waits until so many lines have come in all.
  public func waitForLines(_ count: Int, upTo seconds: Double = 60) throws {
    _ = try waitUntil(upTo: seconds, "\(count) lines") { $0.lines.count >= count ? true : nil }
  }

  /// Waits until the child has ended.
  public func waitForEnd(upTo seconds: Double = 20) throws -> Ending {
    try waitUntil(upTo: seconds, "the end of the child") { $0.ending }
  }

  /// Kills the child as a power cut would, and waits until it is gone.
  @discardableResult
  public func kill() throws -> Ending {
    signal(SIGKILL)
    let ending = try waitForEnd()
    closeInput()
    return ending
  }

  /// A line as JSON.
  public static func parse(_ line: String) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      throw Failure("no object: \(line)")
    }
    return object
  }

  private func waitUntil<Value: Sendable>(
    upTo seconds: Double, _ what: String, _ condition: (inout State) -> Value?
  ) throws -> Value {
    let deadline = Date(timeIntervalSinceNow: seconds)
    news.lock()
    defer { news.unlock() }
    while true {
      if let fault { throw Failure(fault) }
      if let value = withState(condition) { return value }
      let hasEnded = state.withLock { $0.ending != nil }
      guard !hasEnded, news.wait(until: deadline) else {
        let last = state.withLock { $0.lines.suffix(3) }
        throw Failure("no \(what) within \(seconds) s\(hasEnded ? ", the child has ended" : ""); last lines: \(last)")
      }
    }
  }

  private func withState<Value: Sendable>(_ body: (inout State) -> Value?) -> Value? {
    var result: Value?
    state.withLock { result = body(&$0) }
    return result
  }

  /// Waits for the child's end, on a thread of its own, when its output has been read.
  private func follow(_ readOutput: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      readOutput()
      reap()
    }
    thread.name = "podflux-child-output"
    thread.start()
  }

  private func read(_ output: Int32, pieceBytes: Int, pauseMilliseconds: Int32) {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: pieceBytes)
    while waitForOutput(output) {
      if pauseMilliseconds > 0 { _ = poll(nil, 0, pauseMilliseconds) }
      let count = Foundation.read(output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      guard let end = buffer[..<count].lastIndex(of: Self.lineFeed) else {
        rest += buffer[..<count]
        continue
      }
      take(rest + buffer[...end])
      rest = Array(buffer[(end + 1)..<count])
    }
    close(output)
  }

  /// Waits until there is something to read, or nothing ever will be; false if it is not to be read.
  private func waitForOutput(_ output: Int32) -> Bool {
    let descriptorOfEnd = hangingUp.fileHandleForReading.fileDescriptor
    var descriptors = [output, descriptorOfEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&descriptors, 2, -1) < 0, errno == EINTR {}
    return descriptors[1].revents == 0
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Takes whole lines in, each with its line feed.
  private func take(_ bytes: [UInt8]) {
    let lines = bytes.dropLast().split(separator: Self.lineFeed, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let fault = judge?.fault(in: bytes, as: state.withLock { $0.kind })
    announce { state in
      state.lines += lines
      state.fault = state.fault ?? fault
    }
  }

  private func reap() {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
    let ending = Ending(status: status, usage: usage)
    announce { $0.ending = ending }
  }

  private func announce(_ change: (inout State) -> Void) {
    news.lock()
    state.withLock { change(&$0) }
    news.broadcast()
    news.unlock()
  }
}

extension PodfluxProcess.Ending {
  fileprivate init(status: Int32, usage: rusage) {
    let signal = status & 0x7F
    self.init(
      status: signal == 0 ? (status >> 8) & 0xFF : nil, signal: signal == 0 ? nil : signal,
      cpuSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds, peakResidentBytes: Int64(usage.ru_maxrss) * 1024)
  }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
