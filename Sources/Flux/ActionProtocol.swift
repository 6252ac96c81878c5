/// An intent or a fact: the only way to change state.
///
/// An action is named for an intent ("pause this") or a fact ("these bytes are durable"), never for the change that it
/// should cause: the stores decide that.
///
/// ```swift
/// enum Progress: ActionProtocol {
///   case begun, received(bytes: Int)
///   var isReading: Bool { if case .received = self { true } else { false } }
/// }
/// ```
public protocol ActionProtocol: Sendable {
  /// Whether it is a reading that the next one replaces, such as progress.
  ///
  /// A reading changes only memory, advances neither sequence nor revision, and may be lost with its batch.
  var isReading: Bool { get }
}
