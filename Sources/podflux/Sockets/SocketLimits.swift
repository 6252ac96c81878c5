/// What the clients of sockets may cost.
enum SocketLimits {
  /// How many clients may be connected at once, if the process may have that many descriptors twice.
  static let maximumClients = 2048
  /// The part of the process's descriptors that clients may have, so that transfers and the database have theirs.
  static let descriptorShare = 2
  /// How many bytes may wait for one client before no more of its lines are taken.
  static let outputBytes = 256 << 10
  /// How many bytes one read(2) requests, for all clients one after the other.
  static let readBytes = 64 << 10
  /// How many bytes are sent to one client before the next one's turn.
  static let sendBytes = 256 << 10
  /// How many clients are taken in before those that are there have their turn.
  static let acceptsAtOnce = 64
  /// How long no clients are taken in after the system has refused one, in milliseconds.
  static let pauseMilliseconds = 200
  /// How many reads at most take what a client has sent up to its last line, and how many empty its input behind it.
  static let lastReads = 64
}
