import Dispatch
import Foundation

/// The folder for libraries and files during a benchmark; deleted afterwards.
final class WorkFolder: Sendable {
  let path: String

  init(in parent: String) throws {
    var template = Array("\(parent)/podflux-bench-\(String(repeating: "X", count: 6))".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw MeasurementFailure("no folder can be made in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Runs the body with a new folder, on a file system without pending writes.
  ///
  /// It truncates the files afterwards but deletes them only at the end: ext4 without a journal does not reuse an inode
  /// for a minute, and skips every such inode when it creates a file (`recently_deleted` in fs/ext4/ialloc.c). The next
  /// measurement would pay for 2,000 deleted files.
  func withFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let folder = "\(path)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { emptyFiles(in: folder) }
    sync()
    return try body(folder)
  }

  private func emptyFiles(in folder: String) {
    for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
      truncate("\(folder)/\(name)", 0)
    }
  }

  func remove() {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      FileHandle.standardError.write(Data("podflux-bench: \(path) is left over: \(error)\n".utf8))
    }
  }
}

/// Runs a closure before SIGINT or SIGTERM ends the process.
final class Interruption {
  private var sources: [any DispatchSourceSignal] = []

  init(_ action: @escaping @Sendable () -> Void) {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        action()
        _exit(128 + number)
      }
      source.resume()
      sources.append(source)
    }
  }
}
