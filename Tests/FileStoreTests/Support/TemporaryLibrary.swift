import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

/// A real library in a temporary folder; deinit deletes it.
final class TemporaryLibrary {
  let folder: URL
  let library: Library

  /// - Parameters:
  ///   - traits: The traits to assume for its file system; its own by default.
  ///   - firstMove: The way to try first in which files are moved.
  init(traits: FileSystemTraits? = nil, firstMove: Move = .renaming) throws {
    folder = try Self.makeFolder()
    library = try Library.open(at: folder.appending(path: "library").path, traits: traits, firstMove: firstMove)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record(error)
    }
  }

  static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "podflux-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }

  func url(_ path: String) -> URL {
    URL(filePath: library.path + "/" + path)
  }

  func contents(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: url(path)), as: UTF8.self)
  }

  func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(url(path).path, &status) == 0
  }

  func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url(path))
  }

  func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: url(path).path, withDestinationPath: target)
  }

  @discardableResult
  func makePartial(_ name: String, _ text: String) throws -> FileIdentity {
    let file = try Partials(library).open(partial(name))
    try file.append(text)
    return try file.identity()
  }
}

func partial(_ text: String) throws -> PartialName {
  try #require(PartialName(text))
}

func path(_ text: String) throws -> LibraryPath {
  try LibraryPath(validating: text)
}

extension PartialFile {
  func append(_ text: String) throws {
    try Array(text.utf8).withUnsafeBytes { try append([$0]) }
  }

  func text() throws -> String {
    String(decoding: try read(offset: 0, count: 1024), as: UTF8.self)
  }
}
