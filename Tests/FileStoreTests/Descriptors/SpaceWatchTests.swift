import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FileStore

@Suite("A space watch")
struct SpaceWatchTests {
  /// The values that a watch measures, the last one repeatedly; and the values that it posts.
  private final class Disk: Sendable {
    private let findings: Mutex<[Int64?]>
    let looks = Mutex(0)
    private let posts: AsyncStream<Int64>
    private let continuation: AsyncStream<Int64>.Continuation

    init(_ findings: [Int64?]) {
      self.findings = Mutex(findings)
      (posts, continuation) = AsyncStream.makeStream()
    }

    func watch() -> SpaceWatch {
      SpaceWatch(measure: { self.look() }, intervalMilliseconds: 1) { [continuation] in continuation.yield($0) }
    }

    private func look() -> Int64? {
      looks.withLock { $0 += 1 }
      return findings.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }

    func nextPost() async -> Int64? {
      await posts.first { _ in true }
    }
  }

  @Test("measures at once, and posts the result")
  func atOnce() async {
    let disk = Disk([70])
    let watch = disk.watch()
    watch.watch(atLeast: 70)
    #expect(await disk.nextPost() == 70)
    #expect(disk.looks.withLock { $0 } == 1)
  }

  @Test("polls until there is enough, even if the file system fails to answer at times")
  func later() async {
    let disk = Disk([10, nil, 69, 70, 0])
    let watch = disk.watch()
    watch.watch(atLeast: 70)
    #expect(await disk.nextPost() == 70)
    #expect(disk.looks.withLock { $0 } == 4)
  }

  @Test("posts only once, and not for a threshold that was removed")
  func once() async {
    let disk = Disk([80])
    let watch = disk.watch()
    watch.watch(atLeast: 1000)
    watch.watch(atLeast: nil)
    watch.watch(atLeast: 50)
    #expect(await disk.nextPost() == 80)
    let looks = disk.looks.withLock { $0 }
    // Another watch with the same interval is the clock.
    let other = Disk([0, 0, 0, 0, 0, 5])
    let clock = other.watch()
    clock.watch(atLeast: 5)
    #expect(await other.nextPost() == 5)
    #expect(disk.looks.withLock { $0 } == looks)
  }

  @Test("notices space on a full disk")
  func fullDisk() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "podflux-space-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    let bytes = 1 << 20
    let library: Library
    let filler: FileHandle
    do {
      (library, filler) = try PrivateNetwork.withTemporaryFileSystem(on: folder, bytes: bytes) {
        let library = try Library.open(at: folder + "/library")
        _ = FileManager.default.createFile(atPath: folder + "/filler", contents: Data(count: bytes / 2))
        guard let filler = FileHandle(forUpdatingAtPath: folder + "/filler") else {
          throw NamespaceRefused(description: "the filler cannot be opened")
        }
        return (library, filler)
      }
    } catch let refusal as NamespaceRefused {
      print("skipped: no file system of the test's own can be made: \(refusal)")
      return
    }
    let (posts, continuation) = AsyncStream<Int64>.makeStream()
    let looks = Mutex(0)
    let watch = SpaceWatch(
      measure: {
        looks.withLock { $0 += 1 }
        return try? library.diskSpace().freeBytes
      }, intervalMilliseconds: 1
    ) { continuation.yield($0) }
    watch.watch(atLeast: Int64(bytes * 3 / 4))
    while looks.withLock({ $0 }) < 3 { await Task.yield() }
    try filler.truncate(atOffset: 0)
    let free = try #require(await posts.first { _ in true })
    #expect(free >= bytes * 3 / 4 && free <= bytes)
  }

  @Test("notices a free inode: without one no byte is free for a new file")
  func inodes() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "podflux-inodes-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    let library: Library
    do {
      library = try PrivateNetwork.withTemporaryFileSystem(on: folder, bytes: 1 << 20, inodes: 40) {
        try Library.open(at: folder + "/library")
      }
    } catch let refusal as NamespaceRefused {
      print("skipped: no file system of the test's own can be made: \(refusal)")
      return
    }
    #expect(try library.diskSpace().takesNewFiles)
    let fillers = (0..<40).map { EntryName("filler \($0)") }
    #expect(throws: FileError.self) {
      for filler in fillers { _ = try library.top.makeChild(filler, O_WRONLY, mode: 0o600) }
    }
    let full = try library.diskSpace()
    #expect(!full.takesNewFiles && full.freeBytes > 0 && full.freeBytesForNewFiles == 0)
    let (posts, continuation) = AsyncStream<Int64>.makeStream()
    let watch = SpaceWatch(library) { continuation.yield($0) }
    watch.watch(atLeast: 1)
    #expect(try library.top.deleteFile(fillers[0]))
    #expect(try #require(await posts.first { _ in true }) > 0)
    watch.watch(atLeast: nil)
  }
}
