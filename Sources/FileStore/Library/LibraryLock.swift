import Glibc
import Synchronization

/// The right to be the only engine on a library: an advisory lock (flock(2)) on `lock` in its state folder.
///
/// The kernel releases it when the process dies for any reason, so the file's contents alone mean nothing.
package final class LibraryLock: Sendable {
  /// Why the lock could not be taken.
  package enum Failure: Error, Hashable, Sendable {
    /// Another engine holds the library. The process is nil if it has not yet written its number.
    case held(byProcess: Int32?)
    /// The lock file could not be used.
    case file(FileError)
  }

  /// The open lock file; nil after `release`.
  private let file: Mutex<Descriptor?>

  /// Takes the lock at once or fails: it never waits.
  package init(_ library: Library) throws(Failure) {
    do throws(FileError) {
      let file = try library.stateFolder.makeChild(
        Library.Layout.lock, O_RDWR, mode: Library.Layout.privateFileMode)
      try systemCall("flock", file.path) { flock(file.number, LOCK_EX | LOCK_NB) }
      try Self.sign(file)
      self.file = Mutex(file)
    } catch .io(_, _, EWOULDBLOCK) {
      throw .held(byProcess: try Self.holder(of: library))
    } catch {
      throw .file(error)
    }
  }

  /// Releases the lock; a second call does nothing.
  ///
  /// When it returns, the process holds no lock on the library.
  package func release() {
    file.withLock { file in
      // Not by closing alone: a child that has not reached its exec yet has the open file too, and so the lock.
      if let file { _ = flock(file.number, LOCK_UN) }
      file = nil
    }
  }

  deinit { release() }

  /// How many files the lock holds open: 0 or 1.
  var openFiles: Int { file.withLock { $0 == nil ? 0 : 1 } }

  /// Writes this process's number into the file, for the messages of later processes. A full disk does not keep the
  /// engine from its library: messages leave the number out then.
  private static func sign(_ file: Descriptor) throws(FileError) {
    try systemCall("ftruncate", file.path) { ftruncate(file.number, 0) }
    let outcome = Array("\(getpid())\n".utf8).withUnsafeBytes { file.write($0, offset: 0) }
    switch outcome.failure {
    case nil, .noSpace?: break
    case let failure?: throw failure
    }
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
  /// One sentence: which process holds the library, or what is wrong with the lock file.
  package var description: String {
    switch self {
    case .held(byProcess: let process?): "Another engine, process \(process), holds the library; stop it first."
    case .held(byProcess: nil): "Another engine holds the library; stop it first."
    case .file(let error): error.description
    }
  }
}
