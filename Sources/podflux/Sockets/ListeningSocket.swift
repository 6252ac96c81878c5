import Foundation

/// A Unix socket to which clients connect.
final class ListeningSocket: Sendable {
  let descriptor: Int32
  /// What this process has made; nil for a socket of the service manager.
  private let file: File?

  private struct File: Hashable {
    let path: SocketPath
    let device: dev_t
    let inode: ino_t
  }

  /// How many clients may wait to be accepted.
  private static let backlog: Int32 = 512
  /// Who may connect: the engine's own user (root always may).
  private static let mode: mode_t = 0o600
  private static let folderMode: mode_t = 0o700

  /// Makes a socket and listens. What a killed engine has left is replaced; one where an engine listens never is.
  init(at path: SocketPath) throws(SocketFailure) {
    if path.source == nil { Self.makeFolder(of: path) }
    let lock = try SocketFolderLock(path)
    defer { lock.release() }
    try Self.removeStale(path)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .refused(what: "made", path: path.path, code: errno) }
    var status = stat()
    // The mode is in force from the file's first moment: bind(2) makes it with that of the socket.
    guard fchmod(descriptor, Self.mode) == 0, path.address.withSocketAddress({ bind(descriptor, $0, $1) }) == 0,
      listen(descriptor, Self.backlog) == 0, lstat(path.path, &status) == 0
    else {
      let code = errno
      Foundation.close(descriptor)
      throw .refused(what: "made", path: path.path, code: code)
    }
    self.descriptor = descriptor
    file = File(path: path, device: status.st_dev, inode: status.st_ino)
  }

  /// Takes over a socket that the service manager has made.
  init(inherited descriptor: Int32) throws(SocketFailure) {
    guard Self.option(SO_DOMAIN, of: descriptor) == AF_UNIX, Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
      Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
    else { throw .unusableDescriptor(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    self.descriptor = descriptor
    file = nil
  }

  /// The path to which it is bound (getsockname(2)); nil for an abstract name, or none.
  var boundPath: String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isKnown else { return nil }
    let name = withUnsafeBytes(of: address.sun_path) { bytes in
      bytes.prefix(max(0, Int(length) - (MemoryLayout<sockaddr_un>.size - bytes.count))).prefix { $0 != 0 }.map(\.self)
    }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }

  /// Listens no more, and removes the file if it is still the own one.
  func close() {
    // Before the descriptor is closed: a file that is stale could be another engine's a moment later.
    if let file { Self.remove(file) }
    Foundation.close(descriptor)
  }

  private static func remove(_ file: File) {
    // Without its folder, the file is gone already.
    guard let lock = try? SocketFolderLock(file.path) else { return }
    defer { lock.release() }
    var status = stat()
    guard lstat(file.path.path, &status) == 0, status.st_dev == file.device, status.st_ino == file.inode else { return }
    unlink(file.path.path)
  }

  private static func removeStale(_ path: SocketPath) throws(SocketFailure) {
    var status = stat()
    guard lstat(path.path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .isNoSocket(path.path) }
    let descriptor = path.address.connect(waitingFor: 0)
    if descriptor >= 0 { Foundation.close(descriptor) }
    switch -descriptor {
    case ECONNREFUSED: break
    case ENOENT: return
    case ...0, EAGAIN: throw .isLive(path.path)
    default: throw .refused(what: "looked at", path: path.path, code: -descriptor)
    }
    guard unlink(path.path) == 0 || errno == ENOENT else {
      throw .refused(what: "replaced", path: path.path, code: errno)
    }
  }

  private static func makeFolder(of path: SocketPath) {
    // An existing folder stays as its owner wants it; if the folder cannot be made, taking the lock fails.
    mkdir((path.path as NSString).deletingLastPathComponent, folderMode)
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}

/// The right to make or remove a socket in a folder: of two engines that find the same stale socket, the second one
/// finds that of the first. An advisory lock (flock(2)) on the folder, for a moment.
private struct SocketFolderLock {
  private let descriptor: Int32

  /// How long to wait for other engines, in tries of `pauseMilliseconds`.
  private static let tries = 100
  private static let pauseMilliseconds: Int32 = 10

  init(_ path: SocketPath) throws(SocketFailure) {
    let folder = (path.path as NSString).deletingLastPathComponent
    descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .refused(what: "made", path: path.path, code: errno) }
    var code: Int32 = 0
    for _ in 0..<Self.tries {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      code = errno
      _ = poll(nil, 0, Self.pauseMilliseconds)
    }
    close(descriptor)
    throw .refused(what: "made", path: path.path, code: code)
  }

  func release() {
    close(descriptor)
  }
}
