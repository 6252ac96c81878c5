import Flux
import PodfluxCore

/// What people do behind the engine's back with files that no attempt is publishing.
extension World {
  func meddle() {
    let paths = freePaths
    switch random.below(28) {
    case 16...19:
      with(paths) { disk.edit($0, spoiling: random.once(in: 6), inPlace: random.once(in: 2), using: &random) }
    case 20: with(paths) { disk.published[$0]?.file.touch(at: disk.nextTime()) }
    case 21: with(paths) { disk.moveByCopying($0, to: placeToMove) }
    case 0...2: with(paths) { disk.move($0, to: placeToMove) }
    case 3: with(paths) { disk.swap($0, random.pick(paths)) }
    case 4: with(paths) { disk.destroy($0) }
    case 5...6, 15, 27: with(paths) { disk.takeAway($0) }
    case 7: with(paths) { disk.replace($0, isCopy: random.once(in: 2)) }
    case 8...9:
      if disk.takenAwayCount > 0 {
        disk.bringBack(random.below(disk.takenAwayCount), to: random.once(in: 4) ? placeToMove : nil)
        noteTrouble("a person brings a file back")
      }
    case 10...11:
      if !disk.quarantined.isEmpty, random.once(in: 2) {
        disk.restore(random.below(disk.quarantined.count))
        noteTrouble("a person restores a file from quarantine")
      }
    case 12: addForeignFile(at: placeToMove)
    case 13: appearPartial()
    case 14 where random.once(in: 3):
      disk.unmount(paths, isWhole: random.once(in: 2))
      noteTrouble("the disk of \(paths.count) files is gone")
      schedule(.mounting, after: Int64(random.within(100...20_000)))
    case 22: put(aLinkAt: placeToMove)
    case 23 where suffers(.hardLinks):
      guard !paths.isEmpty else { break }
      let path = random.pick(paths)
      let target = random.once(in: 2) ? random.pick(paths) : placeToMove
      // What a row is just publishing there no person touches.
      guard paths.contains(target) || disk.isFree(target) else { break }
      if target != path { disk.takeAway(target) }
      disk.addHardLink(of: path, at: target, knowing: checker.knows)
      noteTrouble("a person links \(path) as \(target)")
    case 24 where random.once(in: 2): coverFolder()
    case 25:
      disk.addStray("stray\(random.below(3)).tmp")
      noteTrouble("a person leaves a stray among the partial files")
    case 26: age()
    default: break
    }
  }

  /// A person does something with the very file that the engine is about to read or to change, if any.
  func meddle(with place: EntryPath) {
    let path = SimulatedDisk.path(place)
    if let index = disk.lastTakenAway(from: path) {
      disk.bringBack(index, to: nil)
      return noteTrouble("a person brings \(path) back")
    }
    guard freePaths.contains(path) else { return }
    switch random.below(8) {
    case 0: disk.takeAway(path)
    case 1...2: disk.edit(path, spoiling: false, inPlace: random.once(in: 2), using: &random)
    case 3: disk.replace(path, isCopy: random.once(in: 2))
    case 4: disk.move(path, to: placeToMove)
    case 5: disk.published[path]?.file.touch(at: disk.nextTime())
    default: if let slash = path.lastIndex(of: "/") { coverFolder(String(path[..<slash])) }
    }
    noteTrouble("a person meddles with \(path) while the engine does")
  }

  /// A person writes to a file that the engine is about to delete because a rule says so.
  func edit(_ file: PublishedFile) {
    let path = file.path.description
    guard freePaths.contains(path) else { return }
    disk.edit(path, spoiling: false, inPlace: true, using: &random)
    noteTrouble("a person edits \(path), which a rule deletes")
  }

  private func put(aLinkAt path: String) {
    disk.addLink(at: path)
    noteTrouble("a person puts a symbolic link at \(path)")
  }

  private func coverFolder() {
    let folders = disk.folders.sorted()
    guard !folders.isEmpty else { return }
    coverFolder(random.pick(folders))
  }

  private func coverFolder(_ folder: String) {
    let cover = random.pick([SimulatedDisk.Cover.link, .unreadable])
    disk.coverFolder(folder, by: cover)
    noteTrouble("the folder \(folder) is behind: \(cover)")
    schedule(.mounting, after: Int64(random.within(100...20_000)))
  }

  /// An earlier engine has put a file aside, about as long ago as files stay there.
  private func age() {
    let days = process?.dispatcher.state.settings.settings.quarantineDays ?? 0
    let hours = Int64(max(days, 1) * 24 + random.within(-30...6))
    disk.addQuarantined(at: clock.wall.advanced(byMilliseconds: -hours * 3_600_000))
    noteTrouble("a file has been in quarantine for \(hours) hours")
  }

  /// The wall clock is set, or so much time has passed while nothing happened.
  func jumpClock() {
    let day: Int64 = 86_400_000
    clockOffset += random.once(in: 3) ? day : Int64(random.within(-3_600_000...3_600_000))
    checker.latestWall = max(checker.latestWall, clock.wall)
    noteTrouble("the wall clock jumps")
  }

  /// The wall clock is set to another year, or right.
  func misdate() {
    let day: Int64 = 86_400_000
    let days = Int64(random.within(2...400))
    set(clockOffset: random.once(in: 2) ? 0 : random.once(in: 2) ? days * day : -days * day)
  }

  func set(clockOffset offset: Int64) {
    checker.latestWall = max(checker.latestWall, clock.wall)
    clockOffset = offset
    checker.latestWall = max(checker.latestWall, clock.wall)
    noteTrouble("the wall clock is set, and is \(offset / 3_600_000) hours off")
  }

  /// A clock that was wrong is set right when faults stop: at once, or when the engine has begun its last life.
  func setClockRight() {
    guard options.faults.contains(.years) else { return }
    guard random.once(in: 2) else { return set(clockOffset: 0) }
    schedule(.clockSetRight, after: Int64(random.within(0...600_000)))
  }

  func addForeignFile(at path: String) {
    disk.addForeignFile(at: path, knowing: checker.knows)
    noteTrouble("a person puts a file at \(path)")
  }

  /// A deletion has succeeded. What it has left is the client's own now: a file behind a link, and one that a person
  /// has changed since, unless it is a download's.
  ///
  /// - Parameter stood: Whether the file was there as it was to go.
  func release(_ file: PublishedFile, leftBy deletion: Deletion, stood: Bool) {
    let path = file.path.description
    guard disk.published[path]?.isForeign == false else { return }
    if stood {
      if disk.isPublished(file), disk.cover(over: path) != nil || deletion.sparesEdits && disk.isWritten(since: file) {
        disk.published[path]?.isForeign = true
      }
    } else if !checker.isAnothers(file, than: nil) {
      disk.releaseIfChanged(file)
    }
    if disk.published[path]?.isForeign == true { leftFiles[deletion.key] = file }
  }

  /// A deletion is tried once more, since its end was not committed: what it has left before is to go still.
  func takeBack(whatWasLeftBy deletion: Deletion) {
    guard let file = leftFiles.removeValue(forKey: deletion.key),
      disk.published[file.path.description]?.file.inode == file.inode
    else { return }
    disk.published[file.path.description]?.isForeign = false
  }

  private func with(_ paths: [String], _ body: (String) -> Void) {
    guard !paths.isEmpty else { return }
    let path = random.pick(paths)
    let before = disk.published[path]?.file.inode
    body(path)
    noteTrouble(
      "a person meddles with \(path), inode \(before ?? 0); there is \(disk.published[path]?.file.inode ?? 0) now")
  }

  /// The files but those that a row is about to get: no check watches these yet.
  private var freePaths: [String] {
    let publishing = Set(
      checker.rows.values.compactMap { row -> String? in
        if case .running(.publishing(let file)) = row.state { file.path.description } else { nil }
      })
    return disk.published.keys.filter { path in !publishing.contains(path) && disk.isRenameSynced(path) }.sorted()
  }

  private var placeToMove: String {
    switch random.below(9) {
    case 0: "strange\\name.mp3"
    case 8: "elsewhere/no\u{F8FF}utf8.mp3"
    case 1...2: client.path(using: &random)
    case 3...4: "elsewhere/\(random.below(3)).mp3"
    default: likelyPath()
    }
  }

  private func appearPartial() {
    guard let id = DownloadID("d\(random.below(options.downloads + 4))"), process?.isWorking(on: id) != true else {
      return
    }
    checker.tampered.insert(id)
    disk.addPartial(of: id, using: &random)
    noteTrouble("a partial file of \(id) appears")
  }
}
