import Crypto
import EngineRuntime
import Foundation
import Glibc

/// The file of a vault: a line that says what it is, and behind it the bytes, sealed if there is a key.
///
/// It is for its owner alone (mode 0600), and is replaced as a whole: a new file is written and synced, takes the name of the
/// old one, and the folder is synced. A crash leaves the one or the other.
struct VaultFile {
  /// The longest file, in bytes.
  static let maximumBytes = 64 << 20

  let path: String
  private let folder: String
  private let key: VaultKey?

  /// How the first line of each kind of file begins.
  private static let title = "podflux-vault 1 "
  private static let sealedHeader = Array((title + "aes-256-gcm\n").utf8)

  /// - Parameter folder: Where it lies.
  init(in folder: String, named name: String, key: VaultKey?) {
    self.folder = folder
    self.key = key
    path = folder + "/" + name
  }

  /// What it holds, and whether it is kept in another way than this one is written; nil if there is none.
  func read() throws(SecretVaultFailure) -> (bytes: [UInt8], isOfOtherKind: Bool)? {
    guard let bytes = try contents() else { return nil }
    guard let end = bytes.prefix(128).firstIndex(of: UInt8(ascii: "\n")),
      bytes.starts(with: Array(Self.title.utf8))
    else { throw damage("is no vault of this version of Podflux") }
    let (header, body) = (bytes[...end], bytes[(end + 1)...])
    if header.elementsEqual(Self.sealedHeader) { return (try opened(body), key == nil) }
    guard header.elementsEqual(Self.plainHeader(of: body)) else { throw damage("is damaged") }
    return (Array(body), key != nil)
  }

  /// Replaces what it holds. It survives a power cut when this returns.
  func write(_ bytes: [UInt8]) throws(SecretVaultFailure) {
    let new = path + ".new"
    // What a crash has left.
    guard unlink(new) == 0 || errno == ENOENT else { throw refusal("unlink") }
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
    guard file >= 0 else { throw refusal("open") }
    do throws(SecretVaultFailure) {
      defer { close(file) }
      try restrict(file)
      let whole = try sealed(bytes)
      var written = 0
      while written < whole.count {
        let count = whole.withUnsafeBytes {
          Glibc.write(file, $0.baseAddress?.advanced(by: written), $0.count - written)
        }
        guard count > 0 || errno == EINTR else { throw refusal("write") }
        written += max(0, count)
      }
      guard fsync(file) == 0 else { throw refusal("fsync") }
    } catch {
      _ = unlink(new)
      throw error
    }
    guard rename(new, path) == 0 else { throw refusal("rename") }
    try synchronizeFolder()
  }

  // MARK: Sealing

  private func sealed(_ bytes: [UInt8]) throws(SecretVaultFailure) -> [UInt8] {
    guard let key else { return Self.plainHeader(of: bytes) + bytes }
    do {
      let box = try AES.GCM.seal(bytes, using: key.key, authenticating: Self.sealedHeader)
      return Self.sealedHeader + Array(box.nonce) + box.ciphertext + box.tag
    } catch {
      throw damage("cannot be sealed")
    }
  }

  private func opened(_ body: ArraySlice<UInt8>) throws(SecretVaultFailure) -> [UInt8] {
    guard let key else {
      throw SecretVaultFailure("the vault \"\(path)\" is sealed; give its key with --credentials-key")
    }
    do {
      return [UInt8](
        try AES.GCM.open(.init(combined: body), using: key.key, authenticating: Self.sealedHeader))
    } catch {
      throw damage("was sealed with another key, or is damaged")
    }
  }

  private static func plainHeader(of bytes: some DataProtocol) -> [UInt8] {
    let digits = "0123456789abcdef".utf8.map { $0 }
    let digest = SHA256.hash(data: bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return Array((title + "plain sha-256=").utf8) + digest + [UInt8(ascii: "\n")]
  }

  // MARK: The file

  private func contents() throws(SecretVaultFailure) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw errno == ELOOP ? damage("is a symbolic link") : refusal("open")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw refusal("fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw damage("is no regular file") }
    guard status.st_uid == geteuid() || geteuid() == 0 else { throw damage("belongs to another user") }
    guard status.st_size <= Self.maximumBytes else { throw damage("is too long") }
    try restrict(file)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      guard count >= 0 || errno == EINTR else { throw refusal("read") }
      if count == 0 { break }
      filled += max(0, count)
    }
    return Array(bytes[..<filled])
  }

  /// Takes the file's rights from all but its owner. Where the file system has no rights, it must be sealed.
  private func restrict(_ file: Int32) throws(SecretVaultFailure) {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw refusal("fstat") }
    guard status.st_mode & 0o077 != 0 else { return }
    _ = fchmod(file, S_IRUSR | S_IWUSR)
    guard fstat(file, &status) == 0 else { throw refusal("fstat") }
    guard status.st_mode & 0o077 == 0 || key != nil else {
      throw SecretVaultFailure(
        """
        other users can read what is kept in "\(folder)"; give a key with --credentials-key, another folder with \
        --state, or --secrets memory
        """)
    }
  }

  private func synchronizeFolder() throws(SecretVaultFailure) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refusal("open") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw refusal("fsync") }
  }

  // MARK: Failures

  private func refusal(_ operation: String) -> SecretVaultFailure {
    SecretVaultFailure("\(operation) failed for the vault \"\(path)\": \(String(cString: strerror(errno)))")
  }

  func damage(_ what: String) -> SecretVaultFailure {
    SecretVaultFailure("the vault \"\(path)\" \(what); move it away, and open the sessions again")
  }
}
