import Glibc
import Synchronization

/// The right to be the only engine on a library: an advisory lock (flock(2)) on `lock` in the folder of its state.
///
/// The kernel frees it when the process dies, however it dies, so a lock file that lies about means nothing.
public final class LibraryLock: Sendable {
  /// Why the lock was not to be had.
  public enum Failure: Error, Hashable, Sendable {
    /// Another engine has the library. Its process is nil if it had not yet written its number down.
    case held(byProcess: Int32?)
    /// The lock file could not be used.
    case file(FileError)
  }

  /// The open lock file; closing it, at the latest with this object, frees the lock. Nil when released.
  private let file: Mutex<Descriptor?>

  /// Takes the lock at once or fails: it never waits.
  public init(_ library: Library) throws(Failure) {
    do throws(FileError) {
      let flags = O_RDWR | O_CREAT
      let file = try library.stateFolder.openChild(
        Library.Layout.lock, flags, mode: Library.Layout.privateFileMode)
      try systemCall("flock", file.path) { flock(file.number, LOCK_EX | LOCK_NB) }
      try Self.sign(file)
      self.file = Mutex(file)
    } catch .io(_, _, EWOULDBLOCK) {
      throw .held(byProcess: try Self.holder(of: library))
    } catch {
      throw .file(error)
    }
  }

  /// Gives the lock back. Doing it again does nothing.
  ///
  /// When this returns, the process holds no lock on the library.
  public func release() {
    file.withLock { $0 = nil }
  }

  /// How many files it has open.
  var openFiles: Int { file.withLock { $0 == nil ? 0 : 1 } }

  /// Writes this process's number into the file, for the messages of those who come later.
  private static func sign(_ file: Descriptor) throws(FileError) {
    try systemCall("ftruncate", file.path) { ftruncate(file.number, 0) }
    let outcome = Array("\(getpid())\n".utf8).withUnsafeBytes { file.write($0, offset: 0) }
    if let failure = outcome.failure { throw failure }
  }

  private static func holder(of library: Library) throws(Failure) -> Int32? {
    let longestNumber = 16
    do throws(FileError) {
      let file = try library.stateFolder.openChild(Library.Layout.lock, O_RDONLY)
      let text = String(decoding: try file.read(offset: 0, count: longestNumber), as: UTF8.self)
      return Int32(text.prefix { $0.isASCII && $0.isNumber })
    } catch {
      throw .file(error)
    }
  }
}

extension LibraryLock.Failure: CustomStringConvertible {
  /// One sentence: who has the library, or what is wrong with the lock file.
  public var description: String {
    switch self {
    case .held(byProcess: let process?): "Another engine, process \(process), holds the library; stop it first."
    case .held(byProcess: nil): "Another engine holds the library; stop it first."
    case .file(let error): error.description
    }
  }
}
