import Foundation
import Synchronization

/// A real `podflux run` child, controlled through its stdin as any client would: for tests, the demo and benchmarks.
///
/// Blocking calls wait for a condition with a limit and throw `Failure` after it; nothing sleeps. In tests each line is
/// validated against the protocol's schema first: after an invalid line every wait fails.
package final class PodfluxProcess: Sendable {
  /// An error, described for people.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
      self.description = description
    }
  }

  /// How a child ended, and its resource usage.
  package struct Ending: Sendable {
    /// The exit status; nil if a signal ended it.
    package var status: Int32?
    /// The signal that ended it.
    package var signal: Int32?
    /// User and system time, in seconds.
    package var cpuSeconds: Double
    /// The largest resident memory, in bytes.
    package var peakResidentBytes: Int64
  }

  private struct State {
    var lines: [String] = []
    /// The kind of lines that the child may write after its requests.
    var kind = LineJudge.Kind.output
    /// The error in an invalid line.
    var fault: String?
    /// The index of the first line that no caller has received.
    var next = 0
    var ending: Ending?
    var isInputOpen = true
    var lastID = 0
  }

  /// The child's process id.
  package let pid: pid_t
  private let child: Child
  private var input: Int32 { child.input }
  /// The child's stdout, until the reader takes it.
  private let output: Mutex<Int32?>
  /// Becomes readable when the reader should stop.
  private let hangingUp = Pipe()
  /// In tests, validates each line before callers receive it.
  private let judge: LineJudge?
  private let state = Mutex(State())
  /// Signalled at every line and at the end.
  private let news = NSCondition()

  /// The `podflux` beside this executable, or the one in PODFLUX_BINARY.
  package static var executablePath: String {
    if let path = ProcessInfo.processInfo.environment["PODFLUX_BINARY"] { return path }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("podflux").path
  }

  /// Starts a child.
  ///
  /// - Parameters:
  ///   - library: The library's folder.
  ///   - arguments: More arguments of `podflux run`.
  ///   - logPath: The file for the child's stderr.
  ///   - environment: Variables to add to, or to replace in, this process's own.
  ///   - isListening: Whether to read its lines from the start; otherwise `listen()` starts that.
  ///   - executable: The program, `podflux` or one with the same protocol.
  ///   - launcher: The words of a launcher that execs the program (`NetworkNamespace.launcher`).
  package convenience init(
    library: String, arguments: [String] = [], logPath: String = "/dev/null", environment: [String: String] = [:],
    isListening: Bool = true, executable: String = PodfluxProcess.executablePath,
    launcher: [String] = []
  ) throws {
    try self.init(
      command: ["run", "--library", library] + arguments, logPath: logPath, environment: environment,
      isListening: isListening, executable: executable, launcher: launcher)
  }

  /// Starts a child with another command than `run`, which speaks the protocol too: `attach`, or nothing at all.
  package init(
    command: [String], logPath: String = "/dev/null", environment: [String: String] = [:], isListening: Bool = true,
    executable: String = PodfluxProcess.executablePath, launcher: [String] = []
  ) throws {
    judge = try LineJudge.forTests()
    child = try Child(launcher + [executable] + command, logPath: logPath, environment: environment)
    pid = child.pid
    output = Mutex(child.output)
    if isListening { listen() }
  }

  /// Starts to read the child's lines.
  package func listen() {
    guard let output = takeOutput() else { return }
    follow { self.read(output, pieceBytes: 256 << 10, pauseMilliseconds: 0) }
  }

  /// Starts to read the child's lines as a slow client does: in small pieces, with a pause after each.
  package func trickle(pieceBytes: Int, pauseMilliseconds: Int32) {
    guard let output = takeOutput() else { return }
    follow { self.read(output, pieceBytes: pieceBytes, pauseMilliseconds: pauseMilliseconds) }
  }

  /// Closes the child's output, as a dying client does: unread bytes are lost.
  package func hangUp() {
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

  /// Writes bytes to the child's stdin. Does nothing after the child has ended.
  package func send(bytes: [UInt8]) throws {
    if Self.asksForFields(bytes) { state.withLock { $0.kind = .partialOutput } }
    try child.write(bytes)
  }

  /// Whether a line may request some keys of items only.
  private static func asksForFields(_ bytes: [UInt8]) -> Bool {
    Data(bytes).range(of: fields) != nil
  }

  private static let fields = Data("\"fields\"".utf8)

  /// Writes a line.
  package func send(line: String) throws {
    try send(bytes: Array((line + "\n").utf8))
  }

  /// A unique request id.
  func nextID() -> String {
    state.withLock { state in
      state.lastID += 1
      return "ask-\(state.lastID)"
    }
  }

  /// Waits until the child has not read available input for a time.
  package func waitUntilInputIsStuck(forMilliseconds milliseconds: Int32 = 300, upTo seconds: Double = 60) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    var descriptor = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
    while poll(&descriptor, 1, milliseconds) != 0 {
      guard Date() < deadline else { throw Failure("the child still takes input after \(seconds) s") }
    }
  }

  /// Closes the child's stdin.
  package func closeInput() {
    let shouldClose = state.withLock { state in
      defer { state.isInputOpen = false }
      return state.isInputOpen
    }
    if shouldClose { close(input) }
  }

  /// Sends a signal to the child.
  package func signal(_ number: Int32) {
    // Before the child is reaped, its id cannot be reused.
    state.withLock { state in
      guard state.ending == nil else { return }
      Foundation.kill(pid, number)
    }
  }

  // MARK: Listening

  /// All lines so far.
  package var lines: [String] { state.withLock { $0.lines } }

  /// The error in an invalid line so far, by the protocol's schema.
  package var fault: String? { state.withLock { $0.fault } }

  /// Waits for the next line that meets the condition, and skips those before it.
  @discardableResult
  package func wait(upTo seconds: Double = 20, for what: String, _ condition: (String) -> Bool) throws -> String {
    let found = try waitUntil(upTo: seconds, what) { state -> String? in
      guard let index = state.lines[state.next...].firstIndex(where: condition) else { return nil }
      state.next = index + 1
      return state.lines[index]
    }
    return found
  }

  /// Waits for the first line.
  @discardableResult
  package func waitUntilReady(upTo seconds: Double = 20) throws -> String {
    try wait(upTo: seconds, for: "engine/ready") { $0.contains("\"engine/ready\"") }
  }

  /// Waits until this many lines have come in all.
  package func waitForLines(_ count: Int, upTo seconds: Double = 60) throws {
    _ = try waitUntil(upTo: seconds, "\(count) lines") { $0.lines.count >= count ? true : nil }
  }

  /// Waits until the child has ended.
  package func waitForEnd(upTo seconds: Double = 20) throws -> Ending {
    try waitUntil(upTo: seconds, "the end of the child") { $0.ending }
  }

  /// Kills the child with SIGKILL, and waits until it is gone.
  @discardableResult
  package func kill() throws -> Ending {
    signal(SIGKILL)
    let ending = try waitForEnd()
    closeInput()
    return ending
  }

  /// Parses a line as JSON.
  package static func parse(_ line: String) throws -> [String: Any] {
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

  /// Waits for the child's end, on its own thread, after its output has been read.
  private func follow(_ readOutput: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      readOutput()
      reap()
    }
    thread.name = "child-output"
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
      receive(rest + buffer[...end])
      rest = Array(buffer[(end + 1)..<count])
    }
    close(output)
  }

  /// Waits until there is output or the end of it; false if the reader should stop.
  private func waitForOutput(_ output: Int32) -> Bool {
    let descriptorOfEnd = hangingUp.fileHandleForReading.fileDescriptor
    var descriptors = [output, descriptorOfEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&descriptors, 2, -1) < 0, errno == EINTR {}
    return descriptors[1].revents == 0
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Splits bytes into lines, each with its line feed.
  private func receive(_ bytes: [UInt8]) {
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
