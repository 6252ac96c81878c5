import Foundation
import Glibc
import PodfluxCore
import Testing

@testable import FileStore

extension EntryPath {
  init(_ text: String) {
    self.init(bytes: Array(text.utf8))
  }
}

extension TemporaryLibrary {
  /// The absolute path of an entry, for system calls.
  func rawPath(_ path: EntryPath) -> [CChar] {
    EntryName(bytes: Array(library.path.utf8) + [UInt8(ascii: "/")] + path.bytes).cString
  }

  /// Writes a file whose name may not be UTF-8, into an existing folder.
  func write(_ text: String, toRaw path: EntryPath) throws {
    let file = open(rawPath(path), O_CREAT | O_WRONLY | O_TRUNC, 0o644)
    try #require(file >= 0)
    defer { close(file) }
    try #require(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
  }

  func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(at: url(path), withIntermediateDirectories: true)
  }

  func contents(raw path: EntryPath) throws -> String? {
    try PublishedFiles(library).open(path).map { String(decoding: try $0.read(offset: 0, count: 1024), as: UTF8.self) }
  }

  /// All entries of the listing.
  func listed() throws -> [LibraryListing.Entry] {
    let listing = try LibraryListing(library)
    var entries: [LibraryListing.Entry] = []
    while let entry = try listing.next() { entries.append(entry) }
    return entries
  }
}

extension LibraryListing.Entry {
  var path: EntryPath {
    switch self {
    case .file(let path, _), .emptyFolder(let path), .other(let path), .unreadable(let path, _): path
    }
  }

  var isFile: Bool {
    if case .file = self { true } else { false }
  }
}
