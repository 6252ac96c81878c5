import Foundation

/// A question to the person at the terminal of stdin.
///
/// While it waits, ^C and ^Z end the line instead of sending their signals: the signals are sent once the terminal is
/// as it was before, so that no shell gets one that shows nothing, and no question goes on for a command that is to
/// end.
enum TerminalQuestion {
  /// The longest answer, in bytes: a terminal's longest line.
  private static let maximumBytes = 4096

  /// The line that the person types, without its end; nil at the end of the input, after ^C, and when the question is
  /// interrupted.
  ///
  /// - Parameters:
  ///   - isSecret: Whether the terminal does not show the answer.
  ///   - interruption: A descriptor that is readable once no answer counts any more (`CommandSignals.descriptor`). A
  ///     command whose signals are blocked hears of them only so.
  ///   - question: Writes the question. It is called again when the process goes on after ^Z.
  static func ask(isSecret: Bool = false, interruption: Int32? = nil, _ question: () -> Void) -> String? {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
    while let line = answer(to: question, isSecret: isSecret, interruption: interruption, in: before) {
      switch line.last {
      case before.control(VINTR):
        kill(getpid(), SIGINT)
        return nil
      case before.control(VSUSP): kill(getpid(), SIGTSTP)
      default: return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
      }
    }
    return nil
  }

  /// Reads a line, with what has ended it; nil at the end of the input, and when it is interrupted.
  private static func answer(
    to question: () -> Void, isSecret: Bool, interruption: Int32?, in before: termios
  ) -> [UInt8]? {
    var (asking, before) = (before, before)
    asking.c_lflag &= ~tcflag_t(ISIG)
    if isSecret { asking.c_lflag &= ~tcflag_t(ECHO) }
    asking.setControl(VEOL, to: before.control(VINTR))
    asking.setControl(VEOL2, to: before.control(VSUSP))
    let ending = EndingSignals()
    defer { ending.restore() }
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &asking) == 0 else { return nil }
    defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
    question()
    var line = [UInt8](repeating: 0, count: maximumBytes)
    var count = -1
    if ending.waitForInput(of: STDIN_FILENO, orEndAt: interruption) {
      repeat { count = read(STDIN_FILENO, &line, maximumBytes) } while count < 0 && errno == EINTR
    }
    // The terminal has shown no line end.
    if isSecret || count <= 0 || line[count - 1] != UInt8(ascii: "\n") { StandardError.print("") }
    return count > 0 ? Array(line[..<count]) : nil
  }
}

/// The signals that would end the process while the terminal shows no answer: they are held until it is as it was.
private struct EndingSignals {
  private static let numbers = [SIGHUP, SIGINT, SIGTERM]
  /// The one that has come; 0 for none.
  nonisolated(unsafe) private static var caught: Int32 = 0
  /// What the handler tells, which may run on any thread; nil if the process may open no more descriptors.
  nonisolated(unsafe) private static var pipe: StopPipe?

  private var formerly: [Int32: sigaction] = [:]

  init() {
    (Self.caught, Self.pipe) = (0, try? StopPipe())
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      EndingSignals.caught = number
      EndingSignals.pipe?.tell()
    }
    for number in Self.numbers where !HeldSignals.isIgnored(number) {
      var former = sigaction()
      if sigaction(number, &action, &former) == 0 { formerly[number] = former }
    }
  }

  /// Waits until something can be read from a descriptor. Returns false if a signal comes before, or the interruption.
  func waitForInput(of descriptor: Int32, orEndAt interruption: Int32?) -> Bool {
    // A negative one is not looked at (poll(2)).
    let descriptors = [descriptor, Self.pipe?.reader ?? -1, interruption ?? -1]
    var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&polls, nfds_t(polls.count), -1) < 0, errno == EINTR {}
    return Self.caught == 0 && polls[2].revents == 0
  }

  /// Restores the former handlers, and raises a received signal again, so that it has its usual effect.
  func restore() {
    for (number, former) in formerly {
      var former = former
      sigaction(number, &former, nil)
    }
    Self.pipe?.close()
    Self.pipe = nil
    if Self.caught != 0 { kill(getpid(), Self.caught) }
  }
}

extension termios {
  /// The character with a function, such as `VINTR`.
  fileprivate func control(_ function: Int32) -> UInt8 { withUnsafeBytes(of: c_cc) { $0[Int(function)] } }

  fileprivate mutating func setControl(_ function: Int32, to character: UInt8) {
    withUnsafeMutableBytes(of: &c_cc) { $0[Int(function)] = character }
  }
}
