import Foundation
import Synchronization
import Testing

@testable import FileStore

@Suite("Syncs of folders")
struct FolderSyncsTests {
  @Test("are shared by concurrent callers, and a failure fails each of them")
  func shared() {
    let sync = SharedSync()
    let gate = Gate()
    let notes = Notes()
    let group = DispatchGroup()
    func request(_ body: @escaping @Sendable () throws(FileError) -> Void) {
      group.enter()
      // A new thread: a queue has no more threads than there are cores, and all of these block.
      Thread.detachNewThread {
        defer { group.leave() }
        do throws(FileError) {
          try sync.synchronize { () throws(FileError) in
            notes.syncs.withLock { $0 += 1 }
            try body()
          }
        } catch {
          notes.failures.withLock { $0.append(error) }
        }
      }
    }
    request { () throws(FileError) in gate.wait() }
    gate.waitForVisitor()
    for _ in 0..<8 { request { () throws(FileError) in throw .noSpace(path: "x") } }
    while sync.requestCount < 9 { sched_yield() }
    gate.open()
    group.wait()
    // The first sync had begun before the others came: one more covers all of them.
    #expect(notes.syncs.withLock { $0 } == 2)
    #expect(notes.failures.withLock { $0 } == Array(repeating: .noSpace(path: "x"), count: 8))
  }

  @Test("run again for later callers")
  func repeated() throws {
    let sync = SharedSync()
    var count = 0
    for _ in 0..<3 {
      try sync.synchronize { () throws(FileError) in count += 1 }
    }
    #expect(count == 3)
  }

  @Test("leave nothing behind")
  func forgotten() throws {
    let library = try TemporaryLibrary()
    try library.library.folderSyncs.synchronize(library.library.top)
    try library.library.folderSyncs.synchronize(library.library.partialFolder)
    #expect(library.library.folderSyncs.folderCount == 0)
  }
}

private final class Notes: Sendable {
  let syncs = Mutex(0)
  let failures = Mutex<[FileError]>([])
}

/// Blocks one thread until it is opened, and reports when that thread has arrived.
private final class Gate: Sendable {
  private let arrival = DispatchSemaphore(value: 0)
  private let opening = DispatchSemaphore(value: 0)

  func wait() {
    arrival.signal()
    opening.wait()
  }

  func waitForVisitor() { arrival.wait() }
  func open() { opening.signal() }
}
