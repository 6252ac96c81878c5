import PodfluxCore

/// Clients that want files tagged, or do not.
extension World {
  func speakOfTags(to engine: SimulatedEngine) {
    guard suffers(.tags), random.once(in: 3) else { return }
    var patch = SettingsPatch()
    patch.tags = !random.once(in: 4)
    engine.ask(.updateSettings(patch))
    // A file of which nothing is known gets no tags.
    for id in checker.rows.keys.sorted() where checker.rows[id]?.description.title == nil && random.once(in: 2) {
      var update = DownloadIntent.Update()
      update.title = "title \(random.below(100))"
      engine.ask(.downloads(.update(id, update)))
    }
  }
}
