import Foundation

/// One connection to an `ExpositionServer`: its head is read, its response written, and then what the client still
/// sends is read and dropped until it closes. Closing earlier would reset the connection, and the client might lose the
/// response.
struct ExpositionConnection {
  private enum Phase {
    case reading([UInt8])
    case writing(ArraySlice<UInt8>)
    case ending
  }

  /// How many bytes one recv(2) takes.
  private static let pieceBytes = 4096

  let descriptor: Int32
  /// When it is closed in any case, on the server's clock.
  let deadline: Int64
  private(set) var isDone = false
  private var phase = Phase.reading([])

  init(descriptor: Int32, deadline: Int64) {
    self.descriptor = descriptor
    self.deadline = deadline
  }

  /// The descriptor and the event that the connection waits for.
  var watched: pollfd {
    if case .writing = phase { return pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0) }
    return pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }

  /// Does what can be done without waiting.
  mutating func proceed(_ exposition: () -> [UInt8]?) {
    switch phase {
    case .reading(let head): read(after: head, exposition)
    case .writing(let rest): write(rest)
    case .ending: _ = receive()
    }
  }

  private mutating func read(after head: [UInt8], _ exposition: () -> [UInt8]?) {
    guard let piece = receive() else { return }
    let bytes = head + piece
    guard let response = ExpositionResponse.to(ExpositionRequest.read(bytes), exposition) else {
      phase = .reading(bytes)
      return
    }
    write(response[...])
  }

  private mutating func write(_ response: ArraySlice<UInt8>) {
    var rest = response
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        phase = .writing(rest)
        return
      } else if errno != EINTR {
        isDone = true
        return
      }
    }
    shutdown(descriptor, Int32(SHUT_WR))
    phase = .ending
  }

  /// Some bytes of the client; nil if there are none now, or it has closed.
  private mutating func receive() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
    let count = recv(descriptor, &piece, piece.count, 0)
    if count > 0 { return Array(piece.prefix(count)) }
    isDone = count == 0 || (errno != EAGAIN && errno != EINTR)
    return nil
  }
}
