import Foundation
import PodfluxCore
import Testing

@testable import FileStore

@Suite("Reading a published file to its end")
struct PublishedContentsTests {
  private let library: TemporaryLibrary

  init() throws {
    library = try TemporaryLibrary()
    try library.write(String(repeating: "a", count: 3 << 20), to: "a")
    try setBackItsTime()
  }

  /// Sets its time back, so that any later write changes it, on a coarse clock too.
  private func setBackItsTime() throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: library.url("a").path)
  }

  /// Reads it, and runs a closure after the first piece.
  private func read(_ meanwhile: () throws -> Void) throws -> PublishedContents.Reading {
    let contents = try #require(try PublishedFiles(library.library).open(path("a")))
    var (pieces, failure) = (0, (any Error)?.none)
    let reading = try contents.forEachPiece { _ in
      pieces += 1
      if pieces == 1 {
        do { try meanwhile() } catch { failure = error }
      }
      return true
    }
    if let failure { throw failure }
    return reading
  }

  private func write(_ text: String, at offset: UInt64) throws {
    let file = try FileHandle(forWritingTo: library.url("a"))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  @Test("is complete if no program writes to it meanwhile, even if one renames it")
  func complete() throws {
    #expect(try read {} == .complete)
    #expect(
      try read { try FileManager.default.moveItem(at: library.url("a"), to: library.url("b")) } == .complete)
  }

  @Test("detects a concurrent write: before the position, after it, or after the end")
  func written() throws {
    for offset: UInt64 in [0, 2 << 20, 3 << 20] {
      #expect(try read { try write("b", at: offset) } == .changed)
      try setBackItsTime()
    }
  }

  @Test("detects a concurrent truncation")
  func cut() throws {
    let reading = try read {
      let file = try FileHandle(forWritingTo: library.url("a"))
      try file.truncate(atOffset: 9)
      try file.close()
    }
    #expect(reading == .changed)
  }
}
