import Flux
import PodfluxCore

/// Clients that change over which paths feeds, and pictures and chapters, may come.
extension World {
  func speakOfClasses(to engine: SimulatedEngine) {
    guard suffers(.paths), sidecars != nil, random.once(in: 6) else { return }
    var patch = SettingsPatch()
    patch.network = NetworkClasses.Patch()
    patch.network?.artwork = random.pick([.unmetered, .unmetered, .any])
    if random.once(in: 2) { patch.network?.feeds = random.pick([.unmetered, .any]) }
    engine.ask(.updateSettings(patch))
  }
}
