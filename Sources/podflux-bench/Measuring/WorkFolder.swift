import Dispatch
import Foundation

/// Where libraries and downloaded files go while a benchmark runs; nothing of it stays.
final class WorkFolder: Sendable {
  let path: String

  init(in parent: String) throws {
    var template = Array("\(parent)/podflux-bench-\(String(repeating: "X", count: 6))".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw MeasurementFailure("no folder can be made in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Runs the body with a fresh folder, on a file system with nothing left to write from before.
  ///
  /// Files are emptied behind it but deleted only with everything else: ext4 without a journal uses no inode again for
  /// a minute, and passes over every one of them whenever a file is made (`recently_deleted` in fs/ext4/ialloc.c). Who
  /// comes after 2,000 deleted files would pay for them.
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

/// Does something before SIGINT or SIGTERM ends the process.
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
