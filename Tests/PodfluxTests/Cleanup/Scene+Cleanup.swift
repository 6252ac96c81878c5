import Foundation

/// What people and other programs do to a library behind the engine's back.
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

  /// Writes a file whose name need not be UTF-8.
  func write(_ text: String, toBytes path: [UInt8]) throws {
    let bytes = (Array((library + "/").utf8) + path + [0]).map { CChar(bitPattern: $0) }
    let file = open(bytes, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { throw POSIXError(.EIO) }
    defer { close(file) }
    let data = Array(text.utf8)
    guard Glibc.write(file, data, data.count) == data.count else { throw POSIXError(.EIO) }
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

  /// What the files in quarantine hold.
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
