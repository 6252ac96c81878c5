import Glibc

/// The entries of one folder, in the order of the paths' bytes: a folder's name sorts as if it ended with "/".
///
/// The initializer reads all names; it does not see later changes.
final class FolderLevel {
  enum Kind {
    case file(FileIdentity)
    case folder
    case other
    case unreadable(FileError)
  }

  struct Item {
    let kind: Kind
    /// The offset of the name in `names`.
    fileprivate let start: Int
    fileprivate let length: Int
    /// The length that counts for the order: with the "/" of a folder.
    fileprivate let orderedLength: Int
  }

  let folder: Descriptor
  /// The length of the listing's prefix after this level is left.
  let prefixLength: Int
  /// Whether the folder has no entries, not even hidden ones.
  private(set) var isEmpty = true
  /// Whether the folder, if it is not the top of this library, is another one, or holds the state of one: by its names.
  var isOfOtherLibrary: Bool { hasEngineFolder || hasBinding && hasDatabase }
  private var (hasEngineFolder, hasBinding, hasDatabase) = (false, false, false)
  /// The names in the order in which they were read; folders' names end with "/".
  private var names: [UInt8] = []
  private var items: [Item] = []
  private var position = 0

  init(_ folder: Descriptor, prefixLength: Int) throws(FileError) {
    self.folder = folder
    self.prefixLength = prefixLength
    let stream = try FolderStream(folder)
    while let record = try stream.next() {
      isEmpty = false
      note(record)
      if record.isHidden { continue }
      guard let kind = try kind(of: record) else { continue }
      append(record, kind)
    }
    sort()
  }

  private func note(_ record: FolderStream.Record) {
    if record.isNamed(Library.Layout.engine) { hasEngineFolder = true }
    if record.isNamed(Library.Layout.binding) { hasBinding = true }
    if record.isNamed(Library.Layout.database) { hasDatabase = true }
  }

  func next() -> Item? {
    guard position < items.count else { return nil }
    defer { position += 1 }
    return items[position]
  }

  func name(of item: Item) -> ArraySlice<UInt8> {
    names[item.start..<(item.start + item.length)]
  }

  /// The kind of the record's entry; nil if it has vanished.
  private func kind(of record: FolderStream.Record) throws(FileError) -> Kind? {
    var status = stat()
    guard fstatat(folder.number, record.name, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
      let status = FileStatus(status, folder.traits)
      switch status.kind {
      case .regular: return .file(status.identity)
      case .folder: return .folder
      case .symbolicLink, .other: return .other
      }
    }
    let error = FileError(operation: "fstatat", path: folder.pathOfChild(record.entryName), code: errno)
    switch error {
    case .notFound: return nil
    // The folder denies stat(2) on its entries: the names alone are not enough.
    case .denied: throw .denied(path: folder.path)
    // For example the mount point of a broken device.
    default: return .unreadable(error)
    }
  }

  private func append(_ record: FolderStream.Record, _ kind: Kind) {
    let start = names.count
    names.append(contentsOf: UnsafeRawBufferPointer(start: record.name, count: record.length))
    if Self.standsAsFolder(kind, record.type) { names.append(UInt8(ascii: "/")) }
    items.append(Item(kind: kind, start: start, length: record.length, orderedLength: names.count - start))
  }

  private static func standsAsFolder(_ kind: Kind, _ type: UInt8) -> Bool {
    switch kind {
    case .folder: true
    case .unreadable: type == UInt8(DT_DIR)
    case .file, .other: false
    }
  }

  private func sort() {
    names.withUnsafeBytes { names in
      items.sort { left, right in
        let common = min(left.orderedLength, right.orderedLength)
        guard let base = names.baseAddress else { return false }
        let order = memcmp(base + left.start, base + right.start, common)
        return order == 0 ? left.orderedLength < right.orderedLength : order < 0
      }
    }
  }
}
