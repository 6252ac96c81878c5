import Glibc

extension Library {
  /// Whether the library is still at the path where it was opened: the path names the open folder, its `.podflux` is
  /// the open one, and that contains the marker with the right contents.
  ///
  /// It is false after the library's disk was unmounted, another was mounted over it, or the folder was moved away:
  /// missing files must not count as deleted then. Fails only if one of them cannot be read. Changes nothing.
  package func isInPlace() throws(FileError) -> Bool {
    guard let found = try folderAtPath(), try found == top.status().identity.place,
      let foundEngineFolder = try top.statusOfChild(Layout.engine),
      try foundEngineFolder.identity.place == engineFolder.status().identity.place
    else { return false }
    return try hasMarker()
  }

  /// The folder that the library's path names now, with links followed as at the opening; nil if there is none.
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
  /// The identity of a file or folder without its length.
  struct Place: Equatable {
    let device: UInt64
    let inode: UInt64
  }

  var place: Place { Place(device: device, inode: inode) }
}
