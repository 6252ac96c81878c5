import PodfluxCore

/// What a request is to whoever makes batches of them.
extension EngineRequest {
  /// The action that is asked for; nil if it is something else.
  var action: Action? {
    if case .action(let action) = content { action } else { nil }
  }

  /// Whether it is answered by itself, behind all that came before it.
  var endsBatch: Bool {
    switch content {
    case .query, .resume, .action(.stop(.suspend)): true
    case .action, .refused, .barrier: false
    }
  }
}
