import FileStore
import Foundation
import Testing

@Suite("A library that is not where it was opened")
struct LibraryInPlaceTests {
  private let library: TemporaryLibrary

  init() throws {
    library = try TemporaryLibrary()
  }

  @Test("One that is there is in its place, also over a link")
  func inPlace() throws {
    #expect(try library.library.isInPlace())
    try library.link("../link", to: "library")
    #expect(try Library.open(at: library.folder.path + "/link").isInPlace())
  }

  @Test("The marker is missing, has other contents, or is a link")
  func marker() throws {
    let marker = library.url(".podflux/library")
    try FileManager.default.moveItem(at: marker, to: library.url("marker"))
    #expect(try !library.library.isInPlace())
    try library.link(".podflux/library", to: "../marker")
    #expect(try !library.library.isInPlace())
    try FileManager.default.removeItem(at: marker)
    try library.write("podflux library 2\n", to: ".podflux/library")
    #expect(try !library.library.isInPlace())
    try library.write("podflux library 1\n", to: ".podflux/library")
    #expect(try library.library.isInPlace())
  }

  @Test("The folder was moved away, and another came in its place")
  func another() throws {
    let (place, elsewhere) = (library.library.path, library.folder.path + "/elsewhere")
    try FileManager.default.moveItem(atPath: place, toPath: elsewhere)
    #expect(try !library.library.isInPlace())
    let other = try Library.open(at: place)
    #expect(try other.isInPlace())
    #expect(try !library.library.isInPlace())
  }

  @Test("The engine's folder was moved away, and another came in its place")
  func engineFolder() throws {
    try FileManager.default.moveItem(at: library.url(".podflux"), to: library.url("old"))
    #expect(try !library.library.isInPlace())
    _ = try Library.open(at: library.library.path)
    #expect(try !library.library.isInPlace())
  }
}
