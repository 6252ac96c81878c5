import Glibc
import Synchronization

/// Brings folders' entries to the device, and lets those who want the same folder synced at the same time share one
/// fsync(2): a sync that begins after an entry was made covers it, whoever asked for it.
final class FolderSyncs: Sendable {
  /// The syncs of one folder.
  private final class Folder: Sendable {
    private struct Last {
      /// Every request up to this number was made before the last sync began.
      var covered: UInt64 = 0
      var failure: FileError?
    }

    private let requests = Atomic<UInt64>(0)
    private let last = Mutex(Last())

    func synchronize(_ folder: Descriptor) throws(FileError) {
      let request = requests.add(1, ordering: .sequentiallyConsistent).newValue
      // Whoever waits here while a sync runs finds, when it is let in, that it is the next to sync, or that somebody who
      // was let in before it has synced for it too.
      try last.withLock { (last) throws(FileError) in
        if last.covered >= request {
          if let failure = last.failure { throw failure }
          return
        }
        last = Last(covered: requests.load(ordering: .sequentiallyConsistent))
        do throws(FileError) {
          try folder.synchronize()
        } catch {
          // The kernel tells a failure once: all whom this sync covers have to hear of it.
          last.failure = error
          throw error
        }
      }
    }
  }

  private struct Key: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private let folders = Mutex<[Key: (folder: Folder, users: Int)]>([:])

  /// Returns when every entry of the folder that was made before the call is on the device. Blocks for as long as that
  /// takes: one fsync(2) or, if one has just begun, two.
  func synchronize(_ folder: Descriptor) throws(FileError) {
    let identity = try folder.status().identity
    let key = Key(device: identity.device, inode: identity.inode)
    let shared = folders.withLock { folders in
      let shared = folders[key]?.folder ?? Folder()
      folders[key] = (shared, (folders[key]?.users ?? 0) + 1)
      return shared
    }
    defer { leave(key) }
    try shared.synchronize(folder)
  }

  /// A folder that nobody syncs is forgotten.
  private func leave(_ key: Key) {
    folders.withLock { folders in
      guard let (folder, users) = folders[key] else { return }
      folders[key] = users > 1 ? (folder, users - 1) : nil
    }
  }

  /// How many folders are being synced, for tests.
  var folderCount: Int { folders.withLock(\.count) }
}
