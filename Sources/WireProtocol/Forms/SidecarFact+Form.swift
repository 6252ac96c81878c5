import Flux
import PodfluxCore

/// What services find out about sidecars. `sidecar` is the number of its row, `fetch` says which fetch of it reports,
/// and `fetched` how many bytes have come since its last report.
extension SidecarFact {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    switch self {
    case .fetch(var report):
      try report.exchange(with: &coder)
      self = .fetch(report)
    case .deleted(var key):
      coder.type("sidecars/deleted", "The file of a sidecar is gone, or was another one.")
      try coder.required("sidecar", &key, .number)
      self = .deleted(key)
    case .notDeleted(var key):
      coder.type("sidecars/notDeleted", "The file of a sidecar cannot be deleted now; the next start tries again.")
      try coder.required("sidecar", &key, .number)
      self = .notDeleted(key)
    case .moved(var key, var folders):
      coder.type("sidecars/moved", "The file of a sidecar has its new name.")
      try coder.optional("madeFolders", &folders, .madeFolders, omitting: [])
      try coder.required("sidecar", &key, .number)
      self = .moved(key, madeFolders: folders)
    case .notMoved(var key):
      coder.type("sidecars/notMoved", "The file of a sidecar keeps its name.")
      try coder.required("sidecar", &key, .number)
      self = .notMoved(key)
    case .looked(var round, var changed):
      coder.type("sidecars/looked", "Files of sidecars were looked at; these are gone or others.")
      try coder.required("changed", &changed, .sidecarKeys)
      try coder.required("round", &round, .number)
      self = .looked(round: round, changed: changed)
    }
  }
}

extension SidecarReport {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    switch news {
    case .publishing(var file):
      coder.type("sidecars/publishing", "The file of a sidecar is complete and gets its name next.")
      try exchangeID(with: &coder) { coder throws(Coder.Fault) in try coder.required("file", &file, .object) }
      news = .publishing(file)
    case .finished(var file):
      coder.type("sidecars/finished", "The file of a sidecar stands at its place.")
      try exchangeID(with: &coder) { coder throws(Coder.Fault) in try coder.required("file", &file, .object) }
      news = .finished(file)
    case .failed(var error, var milliseconds):
      coder.type("sidecars/failed", "A sidecar could not be fetched.")
      try coder.required("error", &error, .object)
      try exchangeID(with: &coder) { coder throws(Coder.Fault) in
        try coder.optional("retryAfterMilliseconds", &milliseconds, .anyInteger)
      }
      news = .failed(error, retryAfter: milliseconds)
    case .unpublished:
      coder.type("sidecars/unpublished", "A file that an earlier fetch was about to publish does not have its name.")
      try exchangeID(with: &coder)
    case .stopped:
      coder.type("sidecars/stopped", "The fetch of a sidecar has ended because the engine stopped it.")
      try exchangeID(with: &coder)
    }
  }

  /// Exchanges what every report has: `fetch`, `fetched`, `sidecar`; before the last one, more.
  private mutating func exchangeID<Coder: PayloadCoder>(
    with coder: inout Coder, _ more: (inout Coder) throws(Coder.Fault) -> Void = { _ in }
  ) throws(Coder.Fault) {
    try coder.required("fetch", &fetch.generation, .number)
    try coder.optional("fetched", &fetched, .number, omitting: 0)
    try more(&coder)
    try coder.required("sidecar", &fetch.sidecar, .number)
  }

  static let template = SidecarReport(fetch: .init(sidecar: 0, generation: 0), news: .stopped)
}

extension ActionForm {
  /// What services find out about sidecars.
  static let sidecarFacts: [ActionForm] =
    [
      SidecarReport.News.publishing(.template), .finished(.template), .unpublished, .failed(.template, retryAfter: nil),
      .stopped,
    ].map {
      ActionForm(
        .sidecar(.fetch(SidecarReport(fetch: SidecarReport.template.fetch, news: $0))), naming: ["sidecar", "fetch"])
    }
    + [.deleted(0), .notDeleted(0), .moved(0, madeFolders: []), .notMoved(0), .looked(round: 0, changed: [])]
    .map { (fact: SidecarFact) in ActionForm(.sidecar(fact)) }
}

extension ValueForm<[Sidecar.Key]> {
  /// The numbers of sidecars.
  fileprivate static var sidecarKeys: Self {
    let limit = SidecarFact.changedAtOnce
    return array("at most \(limit) integers from 0", of: .number, atMost: limit)
  }
}
