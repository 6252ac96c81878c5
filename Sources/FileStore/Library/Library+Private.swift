import Glibc

/// Keeps the engine's own files private: they contain addresses, headers and passwords.
extension Library {
  /// The suffixes of the files of an SQLite database.
  static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]
  /// The permission bits of group and others.
  private static let others: mode_t = 0o077

  /// Fails with `symbolicLink` or `notARegularFile` if the database, or one of the files that SQLite keeps beside it,
  /// is no regular file: SQLite would follow a link out of the library, and wait on a pipe forever. Changes nothing.
  package func checkDatabase() throws(FileError) {
    for suffix in Self.databaseSuffixes {
      let file = EntryName(Self.databaseName + suffix)
      _ = try stateFolder.statusOfChild(file)?.regularFile(at: stateFolder.pathOfChild(file))
    }
  }

  /// Removes permissions of group and others, which copying a library may have added: the engine's folders get mode
  /// 0700; the database, which is created if missing, and the files beside it get 0600. Call it before opening the
  /// database: SQLite creates the files beside it with the database's mode.
  ///
  /// Partial files keep their modes, which become those of the published files; their folder is private. A new external
  /// state folder gets mode 0700; an existing one keeps the mode that its owner chose.
  ///
  /// - Returns: The errors for files that belong to another user or whose file system has no modes.
  package func makePrivate() throws(FileError) -> [FileError] {
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
    // Where the note says that a database existed, none is created: the start reports the lost one.
    if try !notesDatabase() {
      _ = try stateFolder.makeChild(
        EntryName(Self.databaseName), O_RDWR | O_NONBLOCK, mode: Layout.privateFileMode)
    }
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

  /// The permissions of a child; nil if there is none or it is a link.
  fileprivate func permissions(ofChild name: EntryName) throws(FileError) -> mode_t? {
    var status = stat()
    try systemCall("fstatat", pathOfChild(name)) { fstatat(number, name.cString, &status, AT_SYMLINK_NOFOLLOW) }
    return status.st_mode & S_IFMT == S_IFLNK ? nil : status.st_mode
  }
}
