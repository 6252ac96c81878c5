import Glibc

extension Library {
  /// Whether the library is still where it was opened: its path names the folder that is held open, its `.podflux` is the
  /// one that is held open, and the marker is in it with what belongs there.
  ///
  /// It is false once the library's disk was unmounted, another was mounted over it, or the folder was moved away: what is
  /// missing then must not be taken for deleted. Fails only if one of them cannot be looked at. Changes nothing.
  public func isInPlace() throws(FileError) -> Bool {
    guard let found = try folderAtPath(), try found == top.status().identity.place,
      let foundEngineFolder = try top.statusOfChild(Layout.engine),
      try foundEngineFolder.identity.place == engineFolder.status().identity.place
    else { return false }
    return try hasMarker()
  }

  /// What the library's path names now, over links too, as when it was opened; nil if nothing.
  private func folderAtPath() throws(FileError) -> FileIdentity.Place? {
    var status = stat()
    do throws(FileError) {
      try systemCall("stat", path) { stat(path, &status) }
      return FileStatus(status, top.traits).identity.place
    } catch .notFound {
      return nil
    } catch .notAFolder {
      return nil
    }
  }

  private func hasMarker() throws(FileError) -> Bool {
    guard try engineFolder.statusOfChild(Layout.marker)?.kind == .regular else { return false }
    do throws(FileError) {
      let file = try engineFolder.openChild(Layout.marker, O_RDONLY | O_NONBLOCK)
      return try file.read(offset: 0, count: Self.marker.count + 1) == Self.marker
    } catch .notFound {
      return false
    } catch .symbolicLink {
      return false
    }
  }
}

extension FileIdentity {
  /// Which file or folder it is, however long.
  struct Place: Equatable {
    let device: UInt64
    let inode: UInt64
  }

  var place: Place { Place(device: device, inode: inode) }
}
