/// The calls of `Stores.list` that the cleanup handles: declared once, for the list and for the store.
extension CleanupStore {
  /// The actions for which the store has something to do.
  enum Concern {
    case intent(CleanupIntent)
    case recovered(Recovery)
    case surveyed(CleanupRun.Key, CleanupNews)
    case cleaned(CleanupStep.Key, CleanupStep.Outcome)
    case deleted(Deletion.Key, CleanupStep.Status, because: String?)

    init?(_ action: Action) {
      switch action {
      case .intent(.cleanup(let intent)): self = .intent(intent)
      case .recovered(let recovery): self = .recovered(recovery)
      case .surveyed(let run, let news): self = .surveyed(run, news)
      case .cleaned(let key, let outcome): self = .cleaned(key, outcome)
      case .deleted(let key): self = .deleted(key, .done, because: nil)
      case .notDeleted(let key, let reason): self = .deleted(key, .left, because: Self.notDeleted(because: reason))
      default: return nil
      }
    }

    private static func notDeleted(because reason: String?) -> String {
      "the file is where it was, and it is tried again later: \(reason ?? "it could not be taken away")"
    }
  }

  /// Whether the store does something for a call of the list.
  static func isConcerned(by call: StoreCall) -> Bool {
    switch call {
    case .handle(let action): Concern(action) != nil
    case .receive(let event): applied(event) != nil
    case .endBatch: true
    }
  }

  /// A step whose rows the downloads have changed, or not; nil for any other event.
  static func applied(_ event: StoreEvent) -> (step: CleanupStep, outcome: DownloadsEvent.StepOutcome)? {
    if case .downloads(.applied(let step, let outcome)) = event { (step, outcome) } else { nil }
  }
}
