extension Resource {
  /// The response to a GET or HEAD request for this file.
  func response(to request: RequestRecord) -> Response {
    if isKnown(to: request) {
      return Response(status: 304, headers: validators)
    }
    switch selection(for: request) {
    case .whole:
      return Response(status: 200, headers: representation(mediaType: mediaType), body: body)
    case .unsatisfiable:
      var headers = validators
      headers["Content-Range"] = "bytes */\(body.length)"
      return Response(status: 416, headers: headers)
    case .parts(let ranges) where ranges.count == 1 && self.ranges != .multipart:
      return partial(shifted(ranges[0]))
    case .parts(let ranges):
      return multipart(ranges)
    }
  }

  private func selection(for request: RequestRecord) -> RangeRequest {
    guard request.method == "GET", request.rangeHeader != nil else { return .whole }
    let selection = RangeRequest(request.rangeHeader, length: body.length)
    switch ranges {
    case .ignored: return .whole
    case .refused: return .unsatisfiable
    case .honouredDespiteIfRange: return selection
    case .honoured, .shifted, .multipart:
      guard ifRangeMatches(request) else { return .whole }
      if case .parts(let parts) = selection, parts.count > 1, ranges != .multipart { return .whole }
      return selection
    }
  }

  private func shifted(_ range: Range<Int>) -> Range<Int> {
    guard case .shifted(let distance) = ranges else { return range }
    let start = min(max(0, range.lowerBound + distance), body.length - 1)
    return start..<max(start + 1, range.upperBound)
  }

  private func partial(_ range: Range<Int>) -> Response {
    var headers = representation(mediaType: mediaType)
    headers["Content-Range"] = contentRange(range)
    return Response(status: 206, headers: headers, body: body[range])
  }

  /// RFC 9110 §14.6.
  private func multipart(_ ranges: [Range<Int>]) -> Response {
    let boundary = "PODFLUX_BYTERANGES"
    let type = mediaType.map { "Content-Type: \($0)\r\n" } ?? ""
    var parts: [Body] = []
    for range in ranges {
      parts.append(.text("\r\n--\(boundary)\r\n\(type)Content-Range: \(contentRange(range))\r\n\r\n"))
      parts.append(body[range])
    }
    parts.append(.text("\r\n--\(boundary)--\r\n"))
    let headers = representation(mediaType: "multipart/byteranges; boundary=\(boundary)")
    return Response(status: 206, headers: headers, body: .joined(parts))
  }

  private func contentRange(_ range: Range<Int>) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.length)"
  }

  private func representation(mediaType: String?) -> HeaderFields {
    var fields = validators
    fields["Content-Type"] = mediaType
    fields["Accept-Ranges"] = ranges == .ignored ? nil : "bytes"
    for field in headers.fields {
      fields.append(field.name, field.value)
    }
    return fields
  }

  private var validators: HeaderFields {
    var fields: HeaderFields = [:]
    fields["ETag"] = entityTag?.fieldValue
    fields["Last-Modified"] = lastModified
    return fields
  }
}

// MARK: - Conditions

extension Resource {
  /// RFC 9110 §13.1.5: a tag counts only if it is strong; a date only if it is equal.
  private func ifRangeMatches(_ request: RequestRecord) -> Bool {
    guard let condition = request.headers["If-Range"] else { return true }
    if case .strong = entityTag, condition == entityTag?.fieldValue { return true }
    return condition == lastModified
  }

  /// RFC 9110 §13.1.2 and §13.1.3, except that dates are compared for equality: clients echo them.
  private func isKnown(to request: RequestRecord) -> Bool {
    guard let condition = request.headers["If-None-Match"] else {
      guard let lastModified else { return false }
      return request.headers["If-Modified-Since"] == lastModified
    }
    guard let entityTag else { return false }
    let known = condition.split(separator: ",").map { $0.drop { $0 == " " } }
    return known.contains { $0 == "*" || $0.opaqueTag == entityTag.fieldValue[...].opaqueTag }
  }
}

extension Substring {
  /// An entity tag without its `W/`.
  fileprivate var opaqueTag: Substring {
    hasPrefix("W/") ? dropFirst(2) : self
  }
}
