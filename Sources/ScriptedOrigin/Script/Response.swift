/// A response before its delivery: status, header fields and content.
///
/// The delivery adds the framing (`Content-Length`, `Transfer-Encoding`, `Connection`).
public struct Response: Sendable {
  /// The HTTP status code, such as 206.
  public var status: Int
  /// The header fields, without those that the delivery adds.
  public var headers: HeaderFields
  /// The content, before the delivery frames or cuts it.
  public var body: Body

  public init(status: Int, headers: HeaderFields = [:], body: Body = .empty) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
