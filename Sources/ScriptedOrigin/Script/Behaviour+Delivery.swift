import NIOCore
import NIOHTTP1

/// A response ready for the wire: its head as bytes, the content to send, and the ending.
struct Delivery {
  /// What to do with the connection after the last byte.
  enum Ending: Equatable {
    case keepAlive
    case close
    case fault(Fault.Kind)
  }

  var status: Int
  /// `nil` if the connection fails before the head.
  var head: ByteBuffer?
  var body: Body
  var isChunked: Bool
  var ending: Ending
  var bytesPerSecond: Int?
  var delay: TimeAmount
}

extension Behaviour {
  /// The delivery for `request`.
  func delivery(for request: RequestRecord, keepingAlive: Bool) -> Delivery {
    let response = response(to: request)
    let hasContent = request.method != "HEAD" && ![204, 304].contains(response.status)
    let body = hasContent ? response.body : .empty
    let ending: Delivery.Ending = keepingAlive && framesTruthfully ? .keepAlive : .close
    var delivery = Delivery(
      status: response.status,
      head: head(of: response, closing: ending == .close),
      body: body,
      isChunked: hasContent && framing == .chunked,
      ending: ending,
      bytesPerSecond: bytesPerSecond,
      delay: .milliseconds(Int64(delayMilliseconds)))
    delivery.apply(fault, hasContent: hasContent)
    return delivery
  }

  private func response(to request: RequestRecord) -> Response {
    switch answer {
    case .resource(let resource): resource.response(to: request)
    case .response(let response): response
    }
  }

  /// Whether the client can find the end of this response.
  private var framesTruthfully: Bool {
    guard framing != .closing else { return false }
    return !headerChanges.contains { change in
      switch change {
      case .set(let name, _), .remove(let name):
        name.isSameFieldName(as: "Content-Length") || name.isSameFieldName(as: "Transfer-Encoding")
      }
    }
  }

  private func head(of response: Response, closing: Bool) -> ByteBuffer {
    var headers = response.headers
    if response.status != 204 && response.status != 304 {
      frame(&headers, length: response.body.length)
    }
    headers["Connection"] = closing ? "close" : nil
    for change in headerChanges {
      switch change {
      case .set(let name, let value): headers[name] = value
      case .remove(let name): headers[name] = nil
      }
    }
    let phrase = HTTPResponseStatus(statusCode: response.status).reasonPhrase
    var head = ByteBuffer(string: "HTTP/1.1 \(response.status) \(phrase)\r\n")
    for field in headers.fields {
      head.writeString("\(field.name): \(field.value)\r\n")
    }
    head.writeString("\r\n")
    return head
  }

  private func frame(_ headers: inout HeaderFields, length: Int) {
    switch framing {
    case .contentLength: headers["Content-Length"] = headers["Content-Length"] ?? String(length)
    case .chunked: headers["Transfer-Encoding"] = "chunked"
    case .closing: break
    }
  }
}

extension Delivery {
  /// Ends the delivery where the fault says so; a fault in the content does not affect a response without one.
  fileprivate mutating func apply(_ fault: Fault?, hasContent: Bool) {
    guard let fault else { return }
    switch fault.place {
    case .head:
      head = nil
      body = .empty
    case .body(let byteCount):
      guard hasContent else { return }
      body = body[0..<min(byteCount, body.length)]
    }
    ending = .fault(fault.kind)
  }
}
