import Foundation
import Synchronization
import Testing

@testable import FileStore

@Suite("Closing a library")
struct LibraryClosingTests {
  private let temporary: TemporaryLibrary

  init() throws {
    temporary = try TemporaryLibrary()
  }

  /// The files that this process has open in the library.
  private func openFiles() throws -> [String] {
    let folder = "/proc/self/fd"
    let real = temporary.folder.resolvingSymlinksInPath().path
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0) }
      .filter { $0.hasPrefix(real) }
  }

  @Test("Afterwards none of its files is open, even if its objects live on, and none can be opened")
  func closing() throws {
    let library = temporary.library
    let partials = Partials(library)
    let lock = try LibraryLock(library)
    #expect(try openFiles().count == 4)
    #expect(try library.close(with: lock, upToMilliseconds: 10_000) == 0)
    #expect(try openFiles() == [])
    #expect(throws: FileError.self) { try partials.open(partial("a")) }
    #expect(throws: FileError.self) { try LibraryListing(library).next() }
    // Another engine can hold it now.
    let other = try Library.open(at: library.path)
    _ = try LibraryLock(other)
  }

  @Test("It waits for open files, and holds the lock meanwhile")
  func waiting() throws {
    let library = temporary.library
    let lock = try LibraryLock(library)
    let file = try Partials(library).open(partial("a"))
    let isClosed = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    Thread.detachNewThread {
      outcome.value.withLock { $0 = try? library.close(with: lock, upToMilliseconds: 60_000) }
      isClosed.signal()
    }
    while library.top.openFiles.isOpen { sched_yield() }
    let other = try Library.open(at: library.path)
    #expect(throws: LibraryLock.Failure.held(byProcess: getpid())) { try LibraryLock(other) }
    try file.append("more")
    file.close()
    #expect(isClosed.wait(timeout: .now() + 20) == .success)
    #expect(outcome.value.withLock { $0 } == 0)
    _ = try LibraryLock(other)
  }

  @Test("After the time limit it reports the open files, and closes the rest")
  func stuck() throws {
    let library = temporary.library
    let lock = try LibraryLock(library)
    let file = try Partials(library).open(partial("a"))
    #expect(try library.close(with: lock, upToMilliseconds: 1) == 1)
    #expect(try openFiles().count == 1)
    file.close()
    #expect(try openFiles() == [])
  }
}

private final class Outcome: Sendable {
  let value = Mutex<Int?>(nil)
}
