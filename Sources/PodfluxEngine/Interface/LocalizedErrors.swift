import Foundation
import PodfluxCore

/// What programs show of an error: without it Foundation shows its type and a number.
extension EngineError: LocalizedError {
  /// The error's description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension Refusal: LocalizedError {
  /// The refusal's message, for `localizedDescription`.
  public var errorDescription: String? { message }
}
