import Foundation
import PodfluxCore
import WireProtocol

/// A client's connection to an engine: sends lines, and takes replies, changes of state and actions in the order in
/// which they come. It is used by one thread.
///
/// Sending never waits for the engine: what it does not take yet is kept, and goes out while lines are awaited. So an
/// engine that waits until its replies are read, and a client that waits until its lines are, cannot wait for each
/// other.
package final class ClientConnection {
  /// A line that is no reply: a state, or an action.
  package struct Event: Sendable {
    package enum Content: Sendable {
      case state(JSONObject)
      case action(type: String, JSONObject)
    }

    package let content: Content
    /// The line as it came, without its line feed.
    package let line: [UInt8]

    package init(_ content: Content, line: [UInt8] = []) {
      (self.content, self.line) = (content, line)
    }
  }

  /// What became of a request.
  package struct Answer: Sendable {
    package let id: Int64
    package let outcome: Result<JSONObject, EngineRefusal>
  }

  /// The longest line, in bytes: far more than a page of a thousand items, or an OPML document of all feeds.
  private static let maximumLineBytes = 256 << 20
  /// How many events are kept while a reply is awaited.
  private static let maximumEvents = 1 << 18
  /// How many bytes one read(2) requests.
  private static let readSize = 256 << 10

  private let descriptors: Descriptors
  /// Readable once the caller wants to be done; nil for never.
  private var interruption: Int32?
  /// For how long the engine has said nothing; nil if its process is not known.
  private var silence: SilenceWatch?
  /// When its process is looked at next, unless something comes before.
  private var nextLook = ClientConnection.lookAhead()
  private var encoder = RequestEncoder()
  /// How many of the encoder's bytes have been written.
  private var written = 0
  private var splitter = LineSplitter(limit: ClientConnection.maximumLineBytes)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ClientConnection.readSize, alignment: 16)
  private var lastID: Int64 = 0
  /// The requests that have no reply, in order.
  private var awaited: ArraySlice<Int64> = []
  private var answers: ArraySlice<Answer> = []
  private var events: ArraySlice<Event> = []
  private var failure: ConnectionFailure?
  /// The library that the engine holds; nil before its first line.
  package private(set) var library: String?
  private var isReady = false

  /// The descriptors of a connection, which it closes.
  private struct Descriptors {
    var input: Int32
    var output: Int32

    /// write(2), but for the signal with which a socket tells that the engine has gone: that could end the process.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
      let count = Foundation.send(output, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      return count < 0 && errno == ENOTSOCK ? Foundation.write(output, bytes.baseAddress, bytes.count) : count
    }
  }

  /// Takes over a connected socket, or the two ends of pipes.
  ///
  /// - Parameters:
  ///   - begin: What was read of the connection before.
  ///   - process: The engine's process: while that is stopped, nothing is waited for without end. Nil if it is not
  ///     known, or is the own one.
  ///   - interruption: A descriptor that becomes readable once the caller wants to be done; the caller closes it.
  package init(
    input: Int32, output: Int32, begin: [UInt8] = [], process: PeerProcess? = nil, interruption: Int32? = nil
  ) throws(ConnectionFailure) {
    descriptors = Descriptors(input: input, output: output)
    silence = process.map { SilenceWatch($0) }
    self.interruption = interruption
    for descriptor in [input, output] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
    try receive(begin.withUnsafeBytes { split($0) })
  }

  deinit {
    close(descriptors.input)
    if descriptors.output != descriptors.input { close(descriptors.output) }
    buffer.deallocate()
  }

  // MARK: Requests

  /// Sends a request. Its answer comes behind those of all requests before it.
  @discardableResult
  package func send(_ request: Request) -> Int64 {
    lastID += 1
    encoder.append(request, id: lastID)
    awaited.append(lastID)
    flush()
    return lastID
  }

  /// How many requests have no answer yet.
  package var outstanding: Int { awaited.count + answers.count }

  /// The answer of the oldest request without one. At least one must be outstanding.
  package func nextAnswer() throws(ConnectionFailure) -> Answer {
    precondition(outstanding > 0, "an answer to nothing")
    while true {
      if let answer = answers.popFirst() { return answer }
      try pump(upTo: nil)
    }
  }

  /// From now on an interruption ends no wait: what is asked now is about the end itself. Takes the answers of what was
  /// asked before.
  package func ignoreInterruptions() throws(ConnectionFailure) {
    interruption = nil
    while outstanding > 0 { _ = try nextAnswer() }
  }

  /// Sends a request and awaits its answer. No other request may be outstanding, unless the connection has failed.
  package func ask(_ request: Request) throws(ConnectionFailure) -> Result<JSONObject, EngineRefusal> {
    if let failure { throw failure }
    precondition(outstanding == 0, "the answer of another request comes first")
    send(request)
    return try nextAnswer().outcome
  }

  // MARK: Events

  /// The next change or action; nil if none comes up to a moment.
  package func nextEvent(upTo deadline: DispatchTime?) throws(ConnectionFailure) -> Event? {
    while true {
      if let event = events.popFirst() { return event }
      // Lines that come all the time do not extend the deadline.
      if let deadline, DispatchTime.now() >= deadline { return nil }
      try pump(upTo: deadline)
    }
  }

  /// Waits for the engine's first line, and so until its library is in order.
  package func waitUntilReady() throws(ConnectionFailure) {
    while !isReady { try pump(upTo: nil) }
  }

  // MARK: Bytes

  /// Reads and writes what can be, and waits for it up to a moment. Returns whether something came or went.
  @discardableResult
  private func pump(upTo deadline: DispatchTime?) throws(ConnectionFailure) -> Bool {
    if let failure { throw failure }
    let isPending = written < encoder.bytes.count
    var polls = [
      pollfd(fd: descriptors.input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isPending ? descriptors.output : -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: interruption ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let pause = silence == nil ? deadline : min(deadline ?? nextLook, nextLook)
    let count = poll(&polls, nfds_t(polls.count), Self.milliseconds(until: pause))
    if count == 0 {
      try lookAtProcess()
      return false
    }
    if count < 0 { return true }
    if polls[2].revents != 0 { throw .interrupted }
    if polls[1].revents != 0 { flush() }
    if polls[0].revents != 0 { try readSome() }
    return true
  }

  /// Looks at the engine's process if it is time to, and gives an engine up that is stopped.
  private func lookAtProcess() throws(ConnectionFailure) {
    guard silence != nil, DispatchTime.now() >= nextLook else { return }
    nextLook = Self.lookAhead()
    if let engine = silence?.look(isGreeted: isReady) { throw fail(.silent(engine)) }
  }

  private static func lookAhead() -> DispatchTime { .now() + .milliseconds(SilenceWatch.lookMilliseconds) }

  /// For poll(2), rounded up; -1 for no limit.
  private static func milliseconds(until deadline: DispatchTime?) -> Int32 {
    guard let deadline else { return -1 }
    let (now, end) = (DispatchTime.now().uptimeNanoseconds, deadline.uptimeNanoseconds)
    return end <= now ? 0 : Int32(clamping: (end - now + 999_999) / 1_000_000)
  }

  private func flush() {
    while written < encoder.bytes.count {
      let count = encoder.bytes.withUnsafeBytes { bytes in
        descriptors.write(UnsafeRawBufferPointer(rebasing: bytes[written...]))
      }
      if count > 0 {
        written += count
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        // What an engine that has gone does not take is answered by the end of its lines.
        break
      }
    }
    encoder.removeAll()
    written = 0
  }

  private func readSome() throws(ConnectionFailure) {
    let count = read(descriptors.input, buffer.baseAddress, buffer.count)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      throw fail(.ended(reason: nil))
    }
    silence?.restart()
    nextLook = Self.lookAhead()
    try receive(split(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))))
  }

  /// The lines that a piece of the stream completes; nil if one is too long.
  private func split(_ piece: UnsafeRawBufferPointer) -> [[UInt8]]? {
    var lines: [[UInt8]] = []
    var isTooLong = false
    splitter.feed(piece) { line in
      switch line {
      case .complete(let bytes, _): lines.append([UInt8](bytes))
      case .tooLong: isTooLong = true
      }
      return !isTooLong
    }
    return isTooLong ? nil : lines
  }

  private func receive(_ lines: [[UInt8]]?) throws(ConnectionFailure) {
    guard let lines else { throw fail(.overrun("a line of more than \(Self.maximumLineBytes) bytes")) }
    for line in lines { try receive(line) }
  }

  private func receive(_ line: [UInt8]) throws(ConnectionFailure) {
    let engineLine: EngineLine
    do throws(MalformedLine) {
      engineLine = try EngineLine(line)
    } catch {
      throw fail(.malformed(error))
    }
    switch engineLine {
    case .ready(let library, _): (self.library, isReady) = (library, true)
    case .ok(let payload, let id, _): try answer(id, .success(payload))
    // Before its first line an engine refuses the client itself.
    case .refused(let refusal, nil) where !isReady: throw fail(.turnedAway(refusal))
    case .refused(let refusal, let id): try answer(id, .failure(refusal))
    case .state(let payload): try keep(Event(.state(payload), line: line))
    case .action(let type, let payload): try keep(Event(.action(type: type, payload), line: line))
    case .stopped(let reason): _ = fail(.ended(reason: reason))
    }
  }

  private func answer(_ id: Int64?, _ outcome: Result<JSONObject, EngineRefusal>) throws(ConnectionFailure) {
    guard let expected = awaited.popFirst(), id == expected else {
      throw fail(.malformed(MalformedLine("a reply to another request than the oldest one")))
    }
    answers.append(Answer(id: expected, outcome: outcome))
  }

  private func keep(_ event: Event) throws(ConnectionFailure) {
    guard events.count < Self.maximumEvents else { throw fail(.overrun("\(Self.maximumEvents) changes at once")) }
    events.append(event)
  }

  /// Notes the failure. Events received before it are still returned first.
  private func fail(_ failure: ConnectionFailure) -> ConnectionFailure {
    self.failure = failure
    return failure
  }
}
