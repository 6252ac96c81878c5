import EngineRuntime
import FileNames
import Flux
import PodfluxCore

extension SimulatedOrigin {
  /// Whether it has the file at an address. Scheme and query do not matter: feeds name one file in many ways.
  func serves(_ address: WebAddress) -> Bool {
    Self.place(address).elementsEqual(Self.place(self.address))
  }

  private static func place(_ address: WebAddress) -> Substring.UTF8View {
    let text = address.description.utf8
    return text.drop { $0 != UInt8(ascii: ":") }.prefix { $0 != UInt8(ascii: "?") }
  }

  /// How many files there are on all hosts.
  static let count = 12
  static let hosts = 4

  /// The host of a file: the last one is on this machine.
  static func host(_ number: Int) -> String {
    let host = number % hosts
    return host == hosts - 1 ? "127.0.0.1:8080" : "host\(host).example"
  }
}

extension World: FilePlaces {
  func spelled(_ path: LibraryPath) throws(DownloadError) -> LibraryPath {
    try Self.path(disk.spelled(path.description))
  }

  func isTaken(_ path: LibraryPath) -> Bool { disk.isTaken(path.description) }
  func exists(_ path: LibraryPath) -> Bool { disk.published[path.description] != nil }
  /// Two attempts may find the same place: publishing tells them apart.
  func promise(_ path: LibraryPath) -> Bool { true }
}

extension World: InterruptedPublications {
  func isPublishedDurably(
    _ file: PublishedFile, of download: DownloadID, original: Download.Original?
  ) -> Bool {
    guard sabotage != .publishForgotten, disk.isPublished(file) else { return false }
    disk.synchronizeFolder(of: file.path.description)
    if original != nil { disk.deletePartial(of: download) }
    return true
  }

  func clearCopies(keeping downloads: Set<DownloadID>) {
    for id in disk.copies.keys.sorted() where !downloads.contains(id) { disk.deleteCopy(of: id) }
  }
}

/// What attempts find outside.
extension World {
  func response(to request: HTTPRequest, for attempt: Attempt) -> SimulatedResponse {
    guard let index = origins.firstIndex(where: { $0.serves(attempt.address) }) else {
      return SimulatedResponse(status: 404, fields: [], content: origins[0].current)
    }
    var response = origins[index].answer(request)
    if suffers(.feeds), let status = feeds?.refusal(of: attempt.address) {
      response = SimulatedResponse(status: status, fields: [], content: origins[index].current)
    }
    if suffers(.network) { response.suffer(using: &random) }
    return response
  }

  /// A name for a complete file.
  func name(for facts: PublishingFacts, number: Int) throws(DownloadError) -> LibraryPath? {
    let isPortable = facts.settings.portableNames
    let naming = FileNaming(Self.namingFacts(facts), portably: isPortable)
    return try place(
      for: facts.description.path, number: number, portably: isPortable && sabotage != .twinsOverlooked
    ) { number throws(DownloadError) in
      do throws(LibraryPathError) {
        return try naming.candidate(number: number)
      } catch {
        throw DownloadError(.io, "\(error)", outlook: .lasting)
      }
    }
  }

  /// What a file is named after. By the standard template all downloads of a host have one name, so that names collide.
  static func namingFacts(_ facts: PublishingFacts) -> NamingFacts {
    var naming = NamingFacts(facts, offsetSeconds: 0)
    naming.fileExtension = "mp3"
    guard facts.naming.template.isStandard else { return naming }
    (naming.podcast, naming.title) = titles(at: facts.address)
    naming.day = nil
    return naming
  }

  /// Every third title is spelled in another case, and so is the podcast of every fifth.
  private static func titles(at address: WebAddress) -> (podcast: String, title: String) {
    let parts = address.description.split(separator: "/")
    let number = parts.last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    return (number % 5 == 4 ? "Show" : "show", (number % 3 == 2 ? "Episode " : "episode ") + parts[2])
  }

  /// A path that a download of one of the origins may have, or wish for.
  func likelyPath() -> String {
    let address = random.pick(origins).address
    let (podcast, title) = Self.titles(at: address)
    let facts = NamingFacts(podcast: podcast, title: title, fileExtension: "mp3", url: address.description)
    let path = try? FileNaming(facts).candidate(number: random.within(1...3))
    guard let path else { preconditionFailure("each origin's titles make a name") }
    return path.description
  }

  fileprivate static func path(_ text: String) throws(DownloadError) -> LibraryPath {
    do throws(LibraryPathError) {
      return try LibraryPath(validating: text)
    } catch {
      throw DownloadError(.io, "\(error)", outlook: .lasting)
    }
  }

  // MARK: Misfortune

  /// Perhaps the process dies, or the power fails, in the middle of a file system call.
  func diesWithinStep() -> Bool {
    guard !dies(in: 200) else { return true }
    guard suffers(.powerCuts), random.once(in: 400) else { return false }
    die(withPower: true)
    return true
  }

  /// A misfortune happens.
  func befall() {
    guard !isCalm else { return }
    defer { schedule(.mishap, after: Int64(random.within(50...8_000))) }
    if suffers(.years), random.once(in: 6) { misdate() }
    switch random.below(suffers(.suspensions) ? 33 : 29) {
    case 0 where suffers(.crashes): die()
    case 1 where suffers(.powerCuts) && random.once(in: 2): die(withPower: true)
    case 2...6 where suffers(.changes):
      let index = random.below(origins.count)
      origins[index].change(using: &random)
      noteTrouble("the content of \(origins[index].address) changes")
    case 7...9 where suffers(.protocols):
      origins[random.below(origins.count)].misbehave(using: &random)
    case 10 where suffers(.disk):
      disk.isFull = true
      noteTrouble("the disk is full")
    case 11...13: disk.isFull = false
    case 14 where suffers(.commits): commitFailureOdds = random.pick([1, 2, 2, 2])
    case 15...16: commitFailureOdds = nil
    case 17 where suffers(.foreignFiles): appearForeignFile()
    case 18 where suffers(.disk):
      tamper()
      damage()
    case 20...24 where suffers(.people): meddle()
    case 25...28 where suffers(.paths): flipPath()
    case 29...32: signal()
    case 19 where suffers(.clock) && random.once(in: 4):
      jumpClock()
    default: break
    }
  }

  /// Whether the next commit fails.
  func commitMishap() -> SimulatedLedger.Mishap? {
    guard suffers(.commits), random.once(in: commitFailureOdds ?? 200) else { return nil }
    return random.once(in: 2) ? .beginFails : .commitFails
  }

  /// The system stops the process and continues it, or ends it; or its input ends.
  private func signal() {
    guard let engine else { return }
    guard !random.once(in: 12) else {
      return schedule(.signal(engine, random.pick([.terminate, .endOfInput])), after: random.delay())
    }
    let delay = random.delay()
    schedule(.signal(engine, .suspend), after: delay)
    if random.once(in: 4) { schedule(.signal(engine, .suspend), after: delay + random.delay()) }
    schedule(.signal(engine, .resume), after: delay + random.delay() * 2)
    // An engine that is never resumed would do nothing more.
    schedule(.signal(engine, .resume), after: delay + 10_000)
  }

  private func appearForeignFile() {
    let path = likelyPath()
    addForeignFile(at: random.once(in: 4) ? client.path(using: &random) : path)
  }

  /// A person changes the file of a completed download.
  private func damage() {
    let files = checker.rows.keys.sorted().compactMap { id -> PublishedFile? in
      guard case .completed(let file)? = checker.rows[id]?.state, disk.isPublished(file) else { return nil }
      return file
    }
    guard !files.isEmpty, random.once(in: 2) else { return }
    let path = random.pick(files).path.description
    guard disk.published[path]?.isForeign == false else { return }
    disk.damage(path, using: &random)
    noteTrouble("another program changes the file at \(path)")
  }

  /// A person changes a partial file that no attempt works on: what a live one writes cannot be watched.
  private func tamper() {
    guard let download = disk.partialNames.first(where: { process?.isWorking(on: $0) != true }) else { return }
    disk.tamper(with: download, using: &random)
    checker.tampered.insert(download)
    noteTrouble("another program changes the partial file of \(download)")
  }
}
