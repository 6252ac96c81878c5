import PodfluxCore

/// What is done with files of sidecars. Each call comes to the same end when it is made again after a crash.
extension LibraryFileSystem {
  /// Carries an errand out, and says what has come of it; nil for orders that are a fetch's.
  package func carryOut(_ order: SidecarOrder) -> SidecarFact? {
    switch order {
    case .fetch, .proceed, .stop: nil
    case .delete(let deletion): delete(deletion)
    case .move(let move): self.move(move)
    case .look(let look): self.look(look)
    }
  }

  /// Deletes a file where it lies or was to be moved. One that was changed since is a person's, and stays.
  private func delete(_ deletion: SidecarDeletion) -> SidecarFact {
    do throws(FileSystemFailure) {
      for path in [deletion.file.path] + (deletion.other.map { [$0] } ?? []) {
        switch try look(at: EntryPath(path)) {
        case .file(let present) where isSame(deletion.file, as: present):
          _ = try delete(present, ownFolders: path == deletion.file.path ? deletion.ownFolders : [])
        // Once the link is gone the file may be there again.
        case .behindLink: return .notDeleted(deletion.sidecar)
        case .file, .nothing, .link, .other: break
        }
      }
      // The episode's file may have gone after this one.
      for folder in deletion.ownFolders { guard try removeEmptyFolder(EntryPath(folder)) else { break } }
      return .deleted(deletion.sidecar)
    } catch {
      return .notDeleted(deletion.sidecar)
    }
  }

  private func move(_ move: SidecarMove) -> SidecarFact {
    do throws(FileSystemFailure) {
      if case .moved(let folders) = try rename(move.file, to: move.path, move.move) {
        return .moved(move.sidecar, madeFolders: folders)
      }
    } catch {
      // A sidecar that cannot be moved keeps its name, like one that was changed or is gone.
    }
    return .notMoved(move.sidecar)
  }

  /// Where a folder is gone, or the disk is not mounted, a person has not removed the files one by one.
  private func look(_ look: SidecarLook) -> SidecarFact {
    let isInPlace = (try? self.isInPlace()) ?? false
    let changed = look.subjects.filter { isInPlace && isChanged($0.file) }
    return .looked(round: look.round, changed: changed.map(\.sidecar))
  }

  private func isChanged(_ file: PublishedFile) -> Bool {
    do throws(FileSystemFailure) {
      switch try look(at: EntryPath(file.path)) {
      case .file(let present): return !isSame(file, as: present)
      case .nothing:
        guard let folder = file.path.folder else { return true }
        if case .other = try look(at: EntryPath(folder)) { return true }
        return false
      case .link, .other: return true
      case .behindLink: return false
      }
    } catch {
      return false
    }
  }

  /// By inode, length and time of modification.
  private func isSame(_ file: PublishedFile, as present: FoundFile) -> Bool { file.isUntouched(as: present) }
}
