import PodfluxCore

extension Request {
  /// Refuses a request that no client could send: lines have limits that the values of actions and queries have not, and
  /// rows keep what is within them.
  ///
  /// Cost: that of writing and reading its line.
  ///
  /// - Precondition: An action is an intent (`Action.isIntent`).
  /// - Throws: `Refusal`, as for a line that says the same.
  package func check() throws(Refusal) {
    switch self {
    // The engine reads the document, however long it is, and makes the list of it.
    case .action(.podcasts(.importDocument)), .action(.podcasts(.import)): return
    case .action, .query, .resume: break
    }
    var encoder = RequestEncoder()
    encoder.append(self, id: 0)
    var reader = JSONReader(Array(encoder.bytes.dropLast()))
    let document = reader.readDocument()
    if let fault = document.fault { throw fault }
    let said = try Request(Envelope(document.object))
    guard case .action = self, said != self else { return }
    throw Refusal(
      .invalidValue, "a value is outside the limits of the protocol, or not a client's to set; give one within them")
  }
}
