import Glibc

/// What is the engine's own is nobody else's: addresses, headers and passwords are in it.
extension Library {
  /// Names of an SQLite database's own files, behind the database's.
  static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]
  /// What the group and others may do.
  private static let others: mode_t = 0o077

  /// Fails with `symbolicLink` or `notARegularFile` if the database, or one of the files that SQLite keeps beside it, is no
  /// regular file: SQLite would follow a link out of the library, and wait for a pipe for ever. Changes nothing.
  public func checkDatabase() throws(FileError) {
    for suffix in Self.databaseSuffixes {
      let file = EntryName(Self.databaseName + suffix)
      _ = try stateFolder.statusOfChild(file)?.regularFile(at: stateFolder.pathOfChild(file))
    }
  }

  /// Takes from the group and others what a copied library may have given them: the engine's folders get mode 0700, the
  /// database, which is made if it is missing, and the files beside it 0600. To be called before the database is opened:
  /// SQLite makes the files beside it with its mode.
  ///
  /// Partial files keep their modes, which become those of the published ones; their folder is closed. The folder of a state
  /// elsewhere is made with mode 0700; one that was there keeps its mode, which its owner has chosen.
  ///
  /// - Returns: what could not be closed, because it is another user's or its file system knows no modes, and why.
  public func makePrivate() throws(FileError) -> [FileError] {
    try checkDatabase()
    var failures: [FileError] = []
    for folder in [engineFolder, partialFolder] {
      do throws(FileError) {
        guard try folder.permissions() & Self.others != 0 else { continue }
        try systemCall("fchmod", folder.path) { fchmod(folder.number, Layout.privateFolderMode) }
      } catch {
        failures.append(error)
      }
    }
    _ = try stateFolder.openChild(
      EntryName(Self.databaseName), O_RDWR | O_CREAT | O_NONBLOCK, mode: Layout.privateFileMode)
    for folder in [Layout.quarantine, Layout.restored, Layout.incoming] {
      close(folder, in: engineFolder, Layout.privateFolderMode, &failures)
    }
    for suffix in Self.databaseSuffixes {
      close(EntryName(Self.databaseName + suffix), in: stateFolder, Layout.privateFileMode, &failures)
    }
    return failures
  }

  private func close(_ name: EntryName, in folder: Descriptor, _ mode: mode_t, _ failures: inout [FileError]) {
    do throws(FileError) {
      guard let permissions = try folder.permissions(ofChild: name), permissions & Self.others != 0 else { return }
      try systemCall("fchmodat", folder.pathOfChild(name)) {
        fchmodat(folder.number, name.cString, mode, AT_SYMLINK_NOFOLLOW)
      }
    } catch .notFound {
      return
    } catch {
      failures.append(error)
    }
  }
}

extension Descriptor {
  fileprivate func permissions() throws(FileError) -> mode_t {
    var status = stat()
    try systemCall("fstat", path) { fstat(number, &status) }
    return status.st_mode
  }

  /// Nil if there is no such child, or only a link.
  fileprivate func permissions(ofChild name: EntryName) throws(FileError) -> mode_t? {
    var status = stat()
    try systemCall("fstatat", pathOfChild(name)) { fstatat(number, name.cString, &status, AT_SYMLINK_NOFOLLOW) }
    return status.st_mode & S_IFMT == S_IFLNK ? nil : status.st_mode
  }
}
