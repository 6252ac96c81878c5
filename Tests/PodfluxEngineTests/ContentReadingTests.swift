import EngineRuntime
import FileStore
import Foundation
import Logging
import PodfluxCore
import TestSupport
import Testing

@testable import PodfluxEngine

@Suite("Reading a published file to its end")
struct ContentReadingTests {
  private let folder: TemporaryFolder
  private let files: LibraryFiles

  init() throws {
    folder = try TemporaryFolder()
    files = LibraryFiles(try Library.open(at: folder.path), tagger: nil, logger: Logger(label: "test"))
    try Data(repeating: 97, count: 3 << 20).write(to: url("a.mp3"))
    try setBackItsTime()
  }

  private func url(_ name: String) -> URL { URL(filePath: folder.path + "/" + name) }

  /// Sets its time back, so that any later write changes it, on a coarse clock too.
  private func setBackItsTime() throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: url("a.mp3").path)
  }

  /// Reads it, and runs a closure after the first piece. Returns the result, and the number of pieces.
  private func read(
    _ meanwhile: () throws -> Void
  ) throws -> (end: ContentReading<OpenPublished>.Progress, pieces: Int) {
    let contents = try #require(try files.open(EntryPath(bytes: Array("a.mp3".utf8))).regularFile())
    var reading = ContentReading(contents, isHashed: true)
    var pieces = 0
    while true {
      let step = try reading.advance()
      guard case .read = step else { return (step, pieces) }
      pieces += 1
      if pieces == 1 { try meanwhile() }
    }
  }

  private func write(_ text: String, at offset: UInt64) throws {
    let file = try FileHandle(forWritingTo: url("a.mp3"))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  @Test("is complete if no program writes to it meanwhile, even after a rename; each piece is a MiB")
  func complete() throws {
    let (end, pieces) = try read {}
    #expect(end == .complete && pieces == 3)
    #expect(try read { try FileManager.default.moveItem(at: url("a.mp3"), to: url("b.mp3")) }.end == .complete)
  }

  @Test("detects a concurrent write: before the position, after it, or after the end")
  func written() throws {
    for offset: UInt64 in [0, 2 << 20, 3 << 20] {
      #expect(try read { try write("b", at: offset) }.end == .changed)
      try setBackItsTime()
    }
  }

  @Test("detects a concurrent truncation")
  func cut() throws {
    let end = try read {
      let file = try FileHandle(forWritingTo: url("a.mp3"))
      try file.truncate(atOffset: 9)
      try file.close()
    }.end
    #expect(end == .changed)
  }

  @Test("A link, a link on the path, and a folder give different errors, and none of them is read")
  func presences() throws {
    try FileManager.default.createDirectory(atPath: folder.path + "/show", withIntermediateDirectories: false)
    try Data("x".utf8).write(to: url("show/a.mp3"))
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/linked", withDestinationPath: "show")
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link.mp3", withDestinationPath: "show/a.mp3")
    func kind(_ place: String) throws -> String {
      switch try files.look(at: EntryPath(bytes: Array(place.utf8))) {
      case .nothing: "nothing"
      case .file(let file): "file of \(file.length)"
      case .link: "link"
      case .other: "other"
      case .behindLink: "behind link"
      }
    }
    #expect(try kind("show/a.mp3") == "file of 1")
    #expect(try kind("link.mp3") == "link")
    #expect(try kind("linked/a.mp3") == "behind link")
    #expect(try kind("show") == "other")
    #expect(try kind("show/b.mp3") == "nothing")
    #expect(try kind("missing/b.mp3") == "nothing")
  }

  @Test("A completed file whose folder was moved away and linked is not damaged: it cannot be read now")
  func behindLink() throws {
    try FileManager.default.createDirectory(atPath: folder.path + "/show", withIntermediateDirectories: false)
    try Data(repeating: 1, count: 100).write(to: url("show/a.mp3"))
    let path = try LibraryPath(validating: "show/a.mp3")
    guard case .file(let found) = try files.look(at: EntryPath(path)), let file = found.published(sha256: nil) else {
      Issue.record("the file is not found")
      return
    }
    #expect(files.verify(file, finished: nil) { false } == .intact)
    let elsewhere = try TemporaryFolder()
    try FileManager.default.moveItem(atPath: folder.path + "/show", toPath: elsewhere.path + "/show")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/show", withDestinationPath: elsewhere.path + "/show")
    guard case .unreadable? = files.verify(file, finished: nil, isCancelled: { false }) else {
      Issue.record("a file behind a link is judged")
      return
    }
  }
}
