/// How an origin handles one request: its response, and the faults in its delivery.
///
/// Start from a resource, a status or a redirect, and add modifiers:
///
/// ```swift
/// origin.serve("/episode.mp3", script: [
///   .resource(episode).cutting(afterBytes: 300_000),
///   .status(503, headers: ["Retry-After": "1"]),
///   .resource(episode).limited(toBytesPerSecond: 200_000),
/// ])
/// ```
package struct Behaviour: Sendable {
  enum Answer: Sendable {
    case resource(Resource)
    case response(Response)
  }

  enum HeaderChange: Sendable {
    case set(String, String)
    case remove(String)
  }

  var answer: Answer
  var framing = Framing.contentLength
  var fault: Fault?
  var bytesPerSecond: Int?
  var delayMilliseconds = 0
  var headerChanges: [HeaderChange] = []
}

/// How the end of the content is marked (RFC 9112 §6.3).
package enum Framing: Sendable, Hashable {
  /// By a `Content-Length`.
  case contentLength
  /// By chunked transfer coding, without a `Content-Length`.
  case chunked
  /// By closing the connection, without a `Content-Length`.
  case closing
}

// MARK: - Answers

extension Behaviour {
  /// Answers with a file: 200, 206, 304 or 416, depending on the request.
  package static func resource(_ resource: Resource) -> Behaviour {
    Behaviour(answer: .resource(resource))
  }

  /// Answers with this status, these header fields and this content.
  package static func status(_ status: Int, headers: HeaderFields = [:], body: Body = .empty) -> Behaviour {
    precondition((200...999).contains(status), "\(status) is no final status")
    return Behaviour(answer: .response(Response(status: status, headers: headers, body: body)))
  }

  /// Redirects the client to `location`, which may be relative, with 301, 302, 303, 307 or 308.
  package static func redirect(_ status: Int = 302, to location: String) -> Behaviour {
    .status(status, headers: ["Location": location])
  }
}

// MARK: - Delivery

extension Behaviour {
  /// Closes the connection after this many bytes of the response's content; over TLS without a `close_notify`.
  package func cutting(afterBytes byteCount: Int) -> Behaviour {
    failing(Fault(kind: .cut, place: .body(afterBytes: byteCount)))
  }

  /// Resets the connection (RST) after this many bytes of the content were passed to the kernel.
  ///
  /// Bytes that the client had no room for are lost.
  package func resetting(afterBytes byteCount: Int) -> Behaviour {
    failing(Fault(kind: .reset, place: .body(afterBytes: byteCount)))
  }

  /// Sends nothing more after this many bytes of the content, until the client or the origin closes.
  package func stalling(afterBytes byteCount: Int) -> Behaviour {
    failing(Fault(kind: .stall, place: .body(afterBytes: byteCount)))
  }

  /// Breaks the connection in this way instead of answering.
  package func failingBeforeHead(_ kind: Fault.Kind) -> Behaviour {
    failing(Fault(kind: kind, place: .head))
  }

  /// Limits the rate of the content; the first byte comes after the first slice's time.
  package func limited(toBytesPerSecond bytesPerSecond: Int) -> Behaviour {
    precondition(bytesPerSecond > 0, "a rate limit must be above zero; stalling(afterBytes:) sends nothing")
    return changing { $0.bytesPerSecond = bytesPerSecond }
  }

  /// Waits this long before the head of the response.
  package func delayed(byMilliseconds delayMilliseconds: Int) -> Behaviour {
    changing { $0.delayMilliseconds = delayMilliseconds }
  }

  /// Marks the end of the content in this way.
  package func framed(_ framing: Framing) -> Behaviour {
    changing { $0.framing = framing }
  }

  /// Replaces a field: for example with a wrong `Content-Length` or `Content-Range`.
  ///
  /// The connection is closed after a response with a modified framing.
  package func settingHeader(_ name: String, _ value: String) -> Behaviour {
    changing { $0.headerChanges.append(.set(name, value)) }
  }

  /// Removes a field. The connection is closed after a response without framing.
  package func removingHeader(_ name: String) -> Behaviour {
    changing { $0.headerChanges.append(.remove(name)) }
  }

  private func failing(_ fault: Fault) -> Behaviour {
    if case .body(let byteCount) = fault.place {
      precondition(byteCount >= 0, "a response cannot fail after \(byteCount) bytes")
    }
    return changing { $0.fault = fault }
  }

  private func changing(_ change: (inout Behaviour) -> Void) -> Behaviour {
    var copy = self
    change(&copy)
    return copy
  }
}
