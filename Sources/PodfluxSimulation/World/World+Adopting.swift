import Flux
import PodfluxCore

/// People who drop files into the library that are named after episodes, and clients that have them adopted.
extension World {
  func speakOfAdopting(to engine: SimulatedEngine) {
    guard suffers(.adopting), feeds != nil, random.once(in: 2) else { return }
    for _ in 0..<random.within(1...3) { dropFile() }
    guard random.once(in: 2) else { return }
    let feed = random.once(in: 3) ? checker.feeds.feeds.values.map(\.id).sorted().randomOne(using: &random) : nil
    let folder = random.once(in: 4) ? disk.folders.sorted().randomOne(using: &random) : nil
    let isFolderOfLibrary = folder.map { (try? LibraryPath(validating: $0)) != nil } ?? true
    var request = AdoptRequest(feed: feed, folder: isFolderOfLibrary ? folder : nil, mode: .plan)
    if !random.once(in: 4) { engine.ask(.cleanup(.adopt(request))) }
    request.mode = .apply
    engine.ask(.cleanup(.adopt(request)))
    if random.once(in: 10) { engine.ask(.cleanup(.cancel)) }
  }

  /// A person puts a file into the library that is named after an episode. It is that episode's, or it is none's: then
  /// something in its name or in it says so.
  private func dropFile() {
    let known = checker.feeds.episodes.values.filter { $0.content.title?.hasPrefix("Episode ") == true }
    guard let episode = known.sorted(by: { $0.id < $1.id }).randomOne(using: &random),
      let feed = checker.feeds.feeds[episode.feed], let truth = SimulatedItem.truth(of: episode.content),
      let title = episode.content.title, let day = episode.content.published?.day.text
    else { return }
    let length = Int(episode.content.enclosure?.length ?? Int64(random.within(1_000...20_000)))
    let stem: String
    var (content, owner): ([UInt8], Int?) = ([UInt8](repeating: 7, count: length), truth)
    var tags: AdoptableFile.Tags?
    switch random.below(12) {
    case 0:
      (stem, owner) = ("1999-12-31 \(title)", nil)
    case 1:
      (stem, owner) = ("Episode \(truth + 100_000)", nil)
    case 2:
      (stem, owner) = ("S03E\(truth + 500) \(title)", nil)
    case 3:
      stem = "\(day)_\(title)_"
      content[0] = SimulatedFile.spoilt
    case 4: stem = title
    case 5: stem = "\(feed.shownTitle) - \(title)"
    case 6: stem = "\(title) - \(feed.shownTitle)"
    case 7: stem = "\(day) \(title)"
    case 8:  // Its tags alone tell.
      stem = "recording \(random.below(1_000))"
      tags = .init(
        title: title, album: feed.shownTitle, date: random.once(in: 2) ? episode.content.published?.day : nil)
    case 9:  // The title is an episode's, and the day in the tags is none's.
      (stem, owner) = ("recording \(random.below(1_000))", nil)
      tags = .init(title: title, album: feed.shownTitle, date: CivilDate(year: 1999, month: 12, day: 31))
    default: stem = "\(day)_\(title)".split(separator: " ").joined(separator: "_")
    }
    let folder = random.once(in: 4) ? "" : feed.shownTitle + "/"
    let dropped = InvariantChecker.DroppedFile(truth: owner, title: title)
    drop(content, at: "\(folder)\(stem).mp3", dropped, tagged: tags)
  }

  private func drop(
    _ content: [UInt8], at path: String, _ dropped: InvariantChecker.DroppedFile, tagged tags: AdoptableFile.Tags?
  ) {
    guard (try? LibraryPath(validating: path)) != nil, disk.isFree(path), !disk.isFull, disk.cover(over: path) == nil
    else { return }
    disk.putForeignFile(content, at: path, withNewNumber: true)
    checker.adoptable[path] = dropped
    adoptableTags[path] = tags
    noteTrouble("a person drops \(path), the file of \(dropped.truth.map { "episode \($0)" } ?? "no episode")")
  }
}

extension Array {
  /// A random element; nil if the array is empty.
  fileprivate func randomOne(using random: inout SeededGenerator) -> Element? {
    isEmpty ? nil : random.pick(self)
  }
}
