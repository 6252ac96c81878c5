/// A response before its delivery: status, header fields and content.
///
/// The delivery adds the framing (`Content-Length`, `Transfer-Encoding`, `Connection`).
package struct Response: Sendable {
  /// The HTTP status code, such as 206.
  package var status: Int
  /// The header fields, without those that the delivery adds.
  package var headers: HeaderFields
  /// The content, before the delivery frames or cuts it.
  package var body: Body

  package init(status: Int, headers: HeaderFields = [:], body: Body = .empty) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
