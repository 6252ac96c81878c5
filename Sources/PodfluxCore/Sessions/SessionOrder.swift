import Flux

/// What the store of sessions asks a service to do. Each order bears being carried out twice.
package enum SessionOrder: Hashable, Sendable {
  /// Make a session's credentials ready for its requests: read them from the vault, and get a token where the kind
  /// needs one. Answer: `opened` or `failed`, exactly once, unless `leave` comes first.
  case open(SessionOpening)
  /// The session is used no more: an opening that is under way ends without an answer, and no request gets its
  /// credentials.
  case leave(SessionID)
  /// Delete a secret from the vault, with the tokens that were got with it.
  case forget(SecretReference)
  /// Delete all secrets from the vault but these, and but those that were put there since it was opened: their sessions
  /// may be about to come.
  case sweep(keeping: [SecretReference])
}

/// Everything that one opening of a session needs to know.
package struct SessionOpening: Hashable, Sendable {
  /// Which opening it is.
  package struct ID: Hashable, Sendable {
    package var session: SessionID
    /// The sequence number of the action that began it: unique within a library.
    package var generation: Int64

    package init(session: SessionID, generation: Int64) {
      self.session = session
      self.generation = generation
    }
  }

  package var id: ID
  /// The client's wish for the session.
  package var wish: Session.Wish
  /// The number that its token gets.
  package var token: Int64
  /// Whether a token that the vault holds will do if it has not expired; otherwise one is got anew, unless the vault's
  /// has this number already: then an engine that ended got it.
  package var takesKept: Bool
  /// The settings at its start. Later changes of settings do not affect it.
  package var settings: Settings
  /// The route that its connections must take.
  package var route: Route

  package init(
    id: ID, wish: Session.Wish, token: Int64, takesKept: Bool, settings: Settings, route: Route
  ) {
    self.id = id
    self.wish = wish
    self.token = token
    self.takesKept = takesKept
    self.settings = settings
    self.route = route
  }
}

/// What a service has found out about sessions.
package enum SessionFact: Hashable, Sendable {
  /// The credentials are ready, and what has to survive is in the vault. When they expire, if that is known.
  case opened(SessionOpening.ID, expires: Timestamp?)
  /// There are none. A transient error (`DownloadError.isTransient`) lets the engine try again.
  case failed(SessionOpening.ID, DownloadError)
}
