/// A response before its delivery: status, header fields and content.
///
/// The delivery adds the framing (`Content-Length`, `Transfer-Encoding`, `Connection`).
public struct Response: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: HeaderFields
  /// The content.
  public var body: Body

  public init(status: Int, headers: HeaderFields = [:], body: Body = .empty) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
