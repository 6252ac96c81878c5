/// A response before it is put on the wire: status, header fields and content.
///
/// What frames the content (`Content-Length`, `Transfer-Encoding`, `Connection`) is added as it is sent.
public struct Response: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: HeaderFields
  /// The content.
  public var body: Body

  /// A response; without content if no body is given.
  public init(status: Int, headers: HeaderFields = [:], body: Body = .empty) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
