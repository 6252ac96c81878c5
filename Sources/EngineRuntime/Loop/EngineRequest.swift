import PodfluxCore

/// Names a client of an engine; later ones have higher numbers.
package struct ClientID: Hashable, Comparable, Sendable {
  private let number: Int

  /// Names the client that was connected as the `number`th.
  package init(_ number: Int) {
    self.number = number
  }

  /// Whether the first one was connected before the second.
  package static func < (first: ClientID, second: ClientID) -> Bool { first.number < second.number }
}

/// Something that a client asks of the engine.
package struct EngineRequest: Sendable {
  /// What is asked. A large part is one reference: a request is copied on its way through queues and lists.
  package enum Content: Sendable {
    /// An intent, which a turn carries out.
    case intent(Intent)
    indirect case query(Query)
    /// The library is to be taken again after it was given up for a while.
    case resume
    /// The request was refused before it was posted; it keeps its place in the order of answers.
    indirect case refused(Refusal)
    /// Nothing but an answer, behind the answers of all requests before it.
    case barrier

    /// Whether other requests are answered before this one, although they are posted behind it. A client whose answers
    /// keep an order posts nothing more before it has this answer.
    package var isAnsweredLater: Bool {
      if case .query(.preview) = self { true } else { readsFiles }
    }

    /// Whether files of this machine are read for it, or a secret is written down, before a turn sees it.
    package var readsFiles: Bool {
      guard case .intent(let intent) = self else { return false }
      switch intent {
      case .podcasts(.importDocument), .cleanup(.adopt): return true
      default: return intent.login != nil
      }
    }

    /// Whether the answer can be long: up to some MiB.
    package var isQuery: Bool {
      if case .query = self { true } else { false }
    }
  }

  /// The intent or query.
  package var content: Content
  /// The client that asks; nil for the engine's owner.
  package var client: ClientID?
  /// Called with the answer, exactly once, on the engine's queue.
  package var completion: @Sendable (Response) -> Void

  /// Makes a request.
  package init(
    _ content: Content, by client: ClientID? = nil, completion: @escaping @Sendable (Response) -> Void
  ) {
    self.content = content
    self.client = client
    self.completion = completion
  }

  /// The intent that is to be carried out; nil if something else is asked for.
  package var intent: Intent? {
    if case .intent(let intent) = content { intent } else { nil }
  }

  /// Whether it is answered by itself, behind all that came before it.
  var endsDelivery: Bool {
    switch content {
    case .query, .resume, .intent(.stop(.suspend)): true
    case .intent, .refused, .barrier: false
    }
  }
}

extension EngineLoop.EngineMailbox {
  /// Posts a request if there is room.
  ///
  /// - Returns: Whether there was.
  package func post(_ request: EngineRequest) -> Bool {
    post(request: request, from: request.client, endsDelivery: request.endsDelivery)
  }

  /// Posts a request that its client has been told is taken.
  package func post(taken request: EngineRequest) {
    post(single: request, from: request.client, endsDelivery: request.endsDelivery)
  }
}

/// The answer to a request, and the revision at which it was given.
package struct Response: Sendable {
  /// What became of a request.
  package enum Outcome: Sendable {
    case reply(Reply)
    indirect case answer(Answer)
    indirect case refusal(Refusal)
  }

  /// The result of the request.
  package var outcome: Outcome
  /// The last committed revision.
  package var revision: Int64

  /// Makes a response.
  package init(outcome: Outcome, revision: Int64) {
    self.outcome = outcome
    self.revision = revision
  }
}
