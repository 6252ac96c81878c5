import Flux
import PodfluxCore

/// What services find out about sidecars.
extension RandomActions {
  /// How many kinds of it there are.
  static let sidecarKinds = 10

  mutating func sidecarFact(_ kind: Int) -> SidecarFact {
    switch kind {
    case 0: report(.publishing(file()))
    case 1: report(.finished(file()))
    case 2: report(.failed(error(), retryAfter: maybe { $0.number() }))
    case 3: report(.stopped)
    case 4: .deleted(number())
    case 5: .notDeleted(number())
    case 6: .moved(number(), madeFolders: many(upTo: 2) { $0.file().path })
    case 7: .notMoved(number())
    case 8: report(.unpublished)
    default: .looked(round: number(), changed: many(upTo: 4) { $0.number() })
    }
  }

  private mutating func report(_ news: SidecarReport.News) -> SidecarFact {
    .fetch(
      SidecarReport(
        fetch: .init(sidecar: number(), generation: number()), news: news, fetched: once(in: 2) ? 0 : length()))
  }
}
