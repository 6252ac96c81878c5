import Foundation

/// External changes of a library.
extension Scene {
  func remove(_ path: String?) throws {
    try FileManager.default.removeItem(atPath: try absolute(path))
  }

  func move(_ path: String?, to newPath: String?) throws {
    let target = try absolute(newPath)
    try makeFolder(of: target)
    try FileManager.default.moveItem(atPath: try absolute(path), toPath: target)
  }

  func copy(_ path: String?, to newPath: String?) throws {
    let target = try absolute(newPath)
    try makeFolder(of: target)
    try FileManager.default.copyItem(atPath: try absolute(path), toPath: target)
  }

  func write(_ text: String, to path: String) throws {
    let target = try absolute(path)
    try makeFolder(of: target)
    try Data(text.utf8).write(to: URL(fileURLWithPath: target))
  }

  /// Writes a file whose name may not be UTF-8.
  func write(_ text: String, toBytes path: [UInt8]) throws {
    let bytes = (Array((library + "/").utf8) + path + [0]).map { CChar(bitPattern: $0) }
    let file = open(bytes, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { throw POSIXError(.EIO) }
    defer { close(file) }
    let data = Array(text.utf8)
    guard Glibc.write(file, data, data.count) == data.count else { throw POSIXError(.EIO) }
  }

  /// Changes a file as a failing disk does: without a write.
  func rot(_ path: String?, _ change: (String) throws -> Void) throws {
    let target = try absolute(path)
    var status = stat()
    guard stat(target, &status) == 0 else { throw POSIXError(.ENOENT) }
    try change(target)
    let times = [status.st_atim, status.st_mtim]
    guard utimensat(AT_FDCWD, target, times, 0) == 0 else { throw POSIXError(.EIO) }
  }

  /// Edits a file as taggers do: writes to it, in place or with a new tag in front, or replaces it by a rename.
  func edit(_ path: String?, _ manner: Edit) throws {
    let target = try absolute(path)
    var data = try Data(contentsOf: URL(fileURLWithPath: target))
    switch manner {
    case .inPlace: data[data.count - 1] ^= 1
    case .tagInFront, .renamedOver: data = Data("ID3\u{4}\0\0\0\0\u{1}\0".utf8) + Data(count: 128) + data
    case .touched: break
    }
    try data.write(to: URL(fileURLWithPath: target), options: manner == .renamedOver ? .atomic : [])
  }

  /// A way in which taggers edit.
  enum Edit: CaseIterable {
    case inPlace, tagInFront, renamedOver, touched
  }

  func flipByte(of path: String?) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: try absolute(path)))
    defer { file.closeFile() }
    let offset = try file.seekToEnd() / 2
    try file.seek(toOffset: offset)
    let byte = try file.read(upToCount: 1)?.first ?? 0
    try file.seek(toOffset: offset)
    try file.write(contentsOf: [byte ^ 1])
  }

  /// The names of the files in quarantine, without their manifests, in order.
  func quarantineNames() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: library + "/.podflux/quarantine")) ?? []
    return names.filter { !$0.hasPrefix(".") && !$0.hasSuffix(".json") }.sorted()
  }

  /// The contents of the files in quarantine.
  func quarantine() -> [Data] {
    quarantineNames().compactMap { FileManager.default.contents(atPath: library + "/.podflux/quarantine/" + $0) }
  }

  private func absolute(_ path: String?) throws -> String {
    guard let path else { throw POSIXError(.ENOENT) }
    return library + "/" + path
  }

  private func makeFolder(of path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }
}
