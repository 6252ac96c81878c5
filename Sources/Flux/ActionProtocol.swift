/// Something that was asked for or that has happened; the only way to change state.
///
/// Actions are named for an intent ("pause this") or a fact ("these bytes are durable"), never for
/// the change that they should cause: what follows is the stores' decision.
public protocol ActionProtocol: Sendable {
  /// Whether it is a reading that the next one replaces, such as progress.
  ///
  /// A reading changes memory only, advances neither sequence nor revision, and may be lost with its batch.
  var isReading: Bool { get }
}
