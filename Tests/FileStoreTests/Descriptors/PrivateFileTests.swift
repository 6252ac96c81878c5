import Foundation
import Glibc
import TestSupport
import Testing

@testable import FileStore

@Suite("A private file")
struct PrivateFileTests {
  private let folder: TemporaryFolder
  private let file: PrivateFile

  init() throws {
    folder = try TemporaryFolder()
    file = PrivateFile(in: folder.path, named: "own")
  }

  private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) } }

  @Test("is replaced as a whole, for its owner alone, whatever a crash has left beside it")
  func replacing() throws {
    #expect(try file.read(atMost: 100) == nil)
    for text in ["one", "", String(repeating: "three", count: 100_000)] {
      try Data("half".utf8).write(to: URL(fileURLWithPath: file.path + ".new"))
      try file.replace(with: Array(text.utf8), needsPrivacy: true)
      #expect(
        try file.read(atMost: 1 << 20) == .init(bytes: Array(text.utf8), isOwn: true, isPrivate: true))
      #expect(try names == ["own"])
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("gives one byte more than its limit, and takes the rights of others away")
  func reading() throws {
    try Data("12345".utf8).write(to: URL(fileURLWithPath: file.path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    #expect(try file.read(atMost: 3) == .init(bytes: Array("1234".utf8), isOwn: true, isPrivate: true))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("is no link, no folder and no pipe")
  func others() throws {
    #expect(symlink("/etc/hostname", file.path) == 0)
    #expect(throws: FileError.symbolicLink(path: file.path)) { try file.read(atMost: 9) }
    #expect(unlink(file.path) == 0 && mkfifo(file.path, 0o600) == 0)
    #expect(throws: FileError.notARegularFile(path: file.path)) { try file.read(atMost: 9) }
  }

  @Test("stays as it was, with nothing beside it, where the new one cannot be written")
  func failing() throws {
    try file.replace(with: [1], needsPrivacy: true)
    let descriptor = try Descriptor.openFolder(atPath: folder.path, shownAs: folder.path)
    #expect(throws: FileError.notPrivate(path: "own.new")) {
      try descriptor.replaceFile("own", by: "own.new", with: [2]) { (_) throws(FileError) in
        throw .notPrivate(path: "own.new")
      }
    }
    #expect(try file.read(atMost: 9)?.bytes == [1] && names == ["own"])
    let missing = PrivateFile(in: folder.path + "/none", named: "own")
    #expect(throws: FileError.self) { try missing.replace(with: [1], needsPrivacy: true) }
    #expect(throws: FileError.self) { try missing.read(atMost: 1) }
  }
}
