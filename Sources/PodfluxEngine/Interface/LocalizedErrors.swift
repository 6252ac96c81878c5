import Foundation
import PodfluxCore

/// What programs show of an error: without it Foundation shows its type and a number.
extension EngineError: LocalizedError {
  /// One sentence for people.
  public var errorDescription: String? { description }
}

extension Refusal: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}
