import FileStore
import Foundation
import Testing

@Suite("The lock of a library")
struct LibraryLockTests {
  @Test("is held by one at a time, names its holder, and is free when given back")
  func excludes() throws {
    let library = try TemporaryLibrary()
    let lock = try LibraryLock(library.library)
    let again = try Library.open(at: library.library.path)
    #expect(throws: LibraryLock.Failure.held(byProcess: getpid())) { try LibraryLock(again) }
    lock.release()
    lock.release()
    let second = try LibraryLock(again)
    #expect(throws: LibraryLock.Failure.self) { try LibraryLock(library.library) }
    second.release()
  }

  @Test("is released with its last reference")
  func endsWithReference() throws {
    let library = try TemporaryLibrary()
    _ = try LibraryLock(library.library)
    _ = try LibraryLock(library.library)
  }

  @Test("is free when given back, although a child that is being started has its open file still")
  func inheritedFile() throws {
    let library = try TemporaryLibrary()
    let path = library.url(".podflux/lock").resolvingSymlinksInPath().path
    let lock = try LibraryLock(library.library)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
    let copy = dup(try #require(open.flatMap { Int32($0) }))
    defer { close(copy) }
    lock.release()
    _ = try LibraryLock(library.library)
  }

  @Test("held by another process names that process, and is free as soon as it is killed")
  func namesOtherProcess() throws {
    let library = try TemporaryLibrary()
    let child = Process()
    child.executableURL = URL(filePath: "/bin/sh")
    child.arguments = ["-c", "exec 9>>\"$0\"; flock -n 9 && echo $$ > \"$0\" && echo ready && read wait"]
    child.arguments?.append(library.url(".podflux/lock").path)
    let input = Pipe()
    let output = Pipe()
    child.standardInput = input
    child.standardOutput = output
    try child.run()
    defer { child.terminate() }
    #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))

    let process = child.processIdentifier
    #expect(throws: LibraryLock.Failure.held(byProcess: process)) { try LibraryLock(library.library) }

    kill(process, SIGKILL)
    child.waitUntilExit()
    _ = try LibraryLock(library.library)
    #expect(try library.contents(".podflux/lock") == "\(getpid())\n")
  }

  @Test("is refused when its file is a link")
  func refusesLink() throws {
    let library = try TemporaryLibrary()
    try library.write("precious", to: "other")
    try library.link(".podflux/lock", to: "../other")
    #expect(throws: LibraryLock.Failure.file(.symbolicLink(path: ".podflux/lock"))) {
      try LibraryLock(library.library)
    }
    #expect(try library.contents("other") == "precious")
  }

  @Test("names its holder")
  func describesItself() {
    #expect(LibraryLock.Failure.held(byProcess: 42).description.contains("process 42"))
    #expect(LibraryLock.Failure.file(.readOnly(path: "x")).description == FileError.readOnly(path: "x").description)
  }
}
