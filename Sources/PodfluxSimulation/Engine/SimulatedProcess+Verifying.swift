import Digests
import PodfluxCore

/// Completed files that are read again, and what is found damaged, as `LibraryFiles` does it.
extension SimulatedProcess {
  func verify(_ verification: Verification) {
    guard !world.suffers(.disk) || !world.random.once(in: 10) else {
      return post(.verified(verification, .unreadable("the simulated device does not give it")))
    }
    let verdict = world.sabotage == .damageOverlooked ? .intact : world.disk.verdict(on: verification.file)
    post(.verified(verification, verdict))
  }

  func quarantine(_ file: PublishedFile) throws {
    guard world.disk.isPublished(file) else { return world.releaseIfChanged(file) }
    try world.checker.willQuarantine(file, on: world.disk)
    if world.sabotage == .quarantineDeletes {
      world.disk.deletePublished(file.path.description)
    } else {
      world.disk.quarantine(file.path.description)
    }
  }
}

extension SimulatedDisk {
  fileprivate func verdict(on file: PublishedFile) -> Verification.Verdict {
    guard let found = published[file.path.description]?.file else { return .damaged("it is gone", remains: nil) }
    let present = PublishedFile(
      path: file.path, length: Int64(found.length), inode: found.inode,
      sha256: file.sha256.map { _ in InvariantChecker.digest(of: found.content, .sha256).hexadecimal },
      modifiedNanoseconds: found.modified)
    let mayBeEdited = file.mayBeEdited(as: FoundFile(present), finished: nil)
    guard present.length == file.length, present.sha256 == file.sha256 else {
      return mayBeEdited && found.isMedia ? .modified(present) : damage("another length or content", found, file)
    }
    guard found.inode == file.inode, mayBeEdited else { return .intact }
    return file.sha256 != nil || found.isMedia ? .modified(present) : damage("no media", found, file)
  }

  private func damage(_ reason: String, _ found: SimulatedFile, _ file: PublishedFile) -> Verification.Verdict {
    guard found.inode == file.inode else { return .damaged("it is gone; another has \(reason)", remains: nil) }
    var remains = file
    remains.length = Int64(found.length)
    return .damaged(reason, remains: remains)
  }
}
