import FileNames
import PodfluxCore

/// An invented episode, which shows what a template makes.
enum NameExample {
  /// The path of its file; nil for the standard template.
  static func path(by template: NameTemplate, portably: Bool) -> String? {
    guard !template.isStandard else { return nil }
    let episode = DownloadNaming.EpisodeFacts(
      id: EpisodeID(number: 1024), guid: "nt-2026-412", season: 7, number: "4", kind: .full, index: 412)
    let facts = NamingFacts(
      podcast: "Night Trains", title: "Vienna to Hamburg", day: CivilDate(year: 2026, month: 3, day: 6), time: "06-30",
      naming: DownloadNaming(template, episode: episode), fileExtension: "mp3", url: "https://example.org/412.mp3")
    do throws(LibraryPathError) {
      return try FileNaming(facts, portably: portably).candidate(number: 1).description
    } catch {
      return nil
    }
  }
}
