import PodfluxCore

extension Action {
  /// The intent as a client's line says it, where rows keep values that clients choose: lines have limits that the
  /// values have not, and no engine reads rows that are outside them.
  ///
  /// Cost: that of writing and reading the line.
  ///
  /// - Precondition: It is an intent (`isIntent`).
  /// - Throws: `Refusal`, as for a line that says the same.
  package func asSaid() throws(Refusal) -> Action {
    switch self {
    case .downloads(.enqueue), .downloads(.update), .podcasts(.subscribe), .podcasts(.update), .sessions(.open),
      .network(.report), .updateSettings:
      break
    default: return self
    }
    var encoder = RequestEncoder()
    encoder.append(.action(self), id: 0)
    var reader = JSONReader(Array(encoder.bytes.dropLast()))
    let document = reader.readDocument()
    if let fault = document.fault { throw fault }
    guard case .action(let said) = try Request(Envelope(document.object)) else {
      preconditionFailure("the line of an action asks for one")
    }
    return said
  }
}
