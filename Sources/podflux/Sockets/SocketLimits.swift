/// What the clients of sockets may cost.
enum SocketLimits {
  /// How many clients may be connected at once.
  static let maximumClients = 2048
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
  /// How many reads at most empty the input of a client that has its last line.
  static let lastReads = 64
}
