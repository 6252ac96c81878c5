import EngineRuntime
import PodfluxCore

/// A completed file that is read again, a piece at a time.
final class SimulatedVerification {
  let process: SimulatedProcess
  private let verification: Verification
  private let files: SimulatedFiles
  private var reading: FileVerification<SimulatedFiles>

  init(_ verification: Verification, in process: SimulatedProcess) {
    self.process = process
    self.verification = verification
    files = SimulatedFiles(in: process)
    reading = FileVerification(of: verification.file, finished: verification.finished, in: files)
  }

  func advance() throws {
    let world = process.world
    let verdict = try files.run(.reading) { reading.advance(readingAtMost: 1 << 16) }
    guard process.isAlive else { return }
    guard let verdict else {
      return world.schedule(.verification(self), after: world.random.once(in: 4) ? world.random.delay() : 0)
    }
    process.post(.verified(verification, world.sabotage == .damageOverlooked ? .intact : verdict))
  }
}

/// Deletions, and what is looked after each day.
extension SimulatedProcess {
  func delete(_ deletion: Deletion) throws {
    guard let index = deletions.firstIndex(of: deletion) else { return }
    deletions.remove(at: index)
    // What moves a damaged file to quarantine leaves partial files alone.
    if deletion.fate == .deleted, isWorking(on: deletion.download) {
      throw Violation(.deletions, "what \(deletion.download) left is deleted while an attempt works on it")
    }
    world.takeBack(whatWasLeftBy: deletion)
    if world.sabotage == .newNameForgotten, world.checker.hasHandedOutMove(to: deletion) {
      return post(.deleted(deletion.key))
    }
    if deletion.sparesEdits, let file = deletion.file, world.suffers(.people), world.random.once(in: 2) {
      world.edit(file)
    }
    var sparing = deletion
    if world.sabotage == .editUnseen { sparing.sparesEdits = false }
    let isEdited = deletion.sparesEdits && deletion.file.map(world.disk.isWritten(since:)) ?? false
    let files = SimulatedFiles(in: self)
    for _ in 0..<(world.suffers(.repetition) && world.random.once(in: 12) ? 2 : 1) {
      let stood = deletion.file.map(world.disk.isPublished) ?? false
      let errand = deletion.file.map(SimulatedFiles.Errand.deletion) ?? .reading
      let outcome = try files.run(errand) {
        Result { () throws(FileSystemFailure) in try files.delete(sparing, at: world.clock.wall) }
      }
      guard isAlive else { return }
      switch outcome {
      case .success:
        if let file = deletion.file {
          guard !isEdited || world.disk.isPublished(file) else {
            throw Violation(.explained, "a rule deletes \(file.path), which a person has changed")
          }
          world.release(file, leftBy: deletion, stood: stood)
        }
        post(.deleted(deletion.key))
      case .failure(let failure): post(.notDeleted(deletion.key, because: failure.description))
      }
    }
  }

  func runUpkeep(_ folders: [LibraryPath], _ day: DailyUpkeep?) throws {
    let files = SimulatedFiles(in: self)
    if let day {
      _ = try files.run(.upkeep(days: day.quarantineDays)) {
        Result { () throws(FileSystemFailure) in
          try files.emptyQuarantine(day, at: world.clock.wall) { isAlive }
        }
      }
    }
    let gone = try files.run(.reading) {
      Result { () throws(FileSystemFailure) in try files.goneFolders(of: folders) }
    }
    guard isAlive else { return }
    post(.upkeepDone(gone: (try? gone.get()) ?? []))
  }
}
