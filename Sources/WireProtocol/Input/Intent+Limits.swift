import PodfluxCore

extension Intent {
  /// The intent as a client's line says it. Rows and the journal keep values that clients choose: lines have limits
  /// that the values have not, and no engine reads what is outside them.
  ///
  /// Cost: that of writing and reading the line.
  ///
  /// - Throws: `Refusal`, as for a line that says the same.
  package func asSaid() throws(Refusal) -> Intent {
    try checkConditions()
    switch self {
    case .updateSettings(let patch): try patch.checkNumbers()
    case .podcasts(.import(let list)):
      // An import has no line of its own: the engine has read the document's line before.
      try list.checkTexts()
      return self
    // Its reader has limits of its own, and the journal has the import.
    case .podcasts(.importDocument): return self
    default: break
    }
    guard case .intent(let said) = try Request.intent(self).asSaid() else {
      preconditionFailure("the line of an intent says one")
    }
    return said
  }
}

extension Query {
  /// The query as a client's line says it, where a server is sent what clients choose.
  ///
  /// - Throws: `Refusal`, as for a line that says the same.
  package func asSaid() throws(Refusal) -> Query {
    guard case .preview = self else { return self }
    guard case .query(let said) = try Request.query(self).asSaid() else {
      preconditionFailure("the line of a query asks for one")
    }
    return said
  }
}

extension Request {
  fileprivate func asSaid() throws(Refusal) -> Request {
    var encoder = RequestEncoder()
    encoder.append(self, id: 0)
    var reader = JSONReader(Array(encoder.bytes.dropLast()))
    let document = reader.readDocument()
    if let fault = document.fault { throw fault }
    return try Request(Envelope(document.object))
  }
}

extension SettingsPatch {
  /// - Throws: `Refusal` if a number is none that JSON has.
  fileprivate func checkNumbers() throws(Refusal) {
    for setting in Settings.all {
      guard case .number(let number)? = value(of: setting), !number.isFinite else { continue }
      let path = "payload.\(setting.name)"
      throw Refusal(.invalidValue, "\(path) must be \(setting.values.requirement)", path: path)
    }
  }
}

extension PodcastIntent.FeedList {
  /// - Throws: `Refusal` if a title or a group is longer than those of a subscription.
  fileprivate func checkTexts() throws(Refusal) {
    for feed in feeds {
      try Self.check(feed.title, "title", atMost: Field.maximumLabelBytes)
      try Self.check(feed.group, "group", atMost: PodcastIntent.Limits.groupBytes)
    }
  }

  private static func check(_ text: String?, _ name: String, atMost bytes: Int) throws(Refusal) {
    guard let text, text.utf8.count > bytes else { return }
    throw Refusal(
      .limitExceeded, "the \(name) of a feed has more than \(bytes) bytes; give a shorter one", path: "payload.feeds")
  }
}
