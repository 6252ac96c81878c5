/// What clients want of sessions (see the article Protocol).
public enum SessionIntent: Hashable, Sendable {
  case open(Opening)
  /// Its requests wait until it is opened again; `forgetting` deletes its secret.
  case close(SessionID, forgetting: Bool)

  /// A session to be opened, or to be opened in another way.
  public struct Opening: Hashable, Sendable {
    /// The client's id for it; without one the engine makes one.
    public var id: SessionID?
    public var wish: Session.Wish

    public init(id: SessionID? = nil, wish: Session.Wish) {
      self.id = id
      self.wish = wish
    }
  }
}

/// Which session the requests of a download or a feed belong to, as a client says it.
public enum SessionChoice: Hashable, Sendable {
  /// None.
  case none
  /// This one; it must exist, and be for the address's host.
  case known(SessionID)
  /// A new one, for the address's host: `hosts` of the wish is ignored.
  case new(Session.Wish)
}
