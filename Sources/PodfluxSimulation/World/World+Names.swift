import PodfluxCore

/// Clients that change what files are called.
extension World {
  /// Few, so that names collide, and files are to exchange theirs.
  private static let titles = ["a", "b", "A", "c"]
  private static let templates = ["", "{podcast}/{title}", "names/{title}", "{title}"].map { text in
    (try? NameTemplate(validating: text)) ?? .standard
  }

  func speakOfNames(to engine: SimulatedEngine) {
    guard suffers(.names), random.once(in: 2) else { return }
    for id in checker.rows.keys.sorted() where random.once(in: 4) {
      var update = DownloadIntent.Update()
      update.title = random.pick(Self.titles)
      engine.ask(.downloads(.update(id, update)))
    }
    if random.once(in: 4) {
      var patch = SettingsPatch()
      patch.filenameTemplate = random.pick(Self.templates)
      engine.ask(.updateSettings(patch))
    }
    engine.ask(.cleanup(.rename(RenameRequest(mode: random.once(in: 6) ? .plan : .apply))))
    if random.once(in: 10) { engine.ask(.cleanup(.cancel)) }
  }
}
