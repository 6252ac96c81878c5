import Digests
import EngineRuntime
import FileStore
import Foundation

/// The file of a vault: a line that says what it is, and behind it the bytes, sealed if there is a key.
///
/// It is for its owner alone (mode 0600), and is replaced as a whole: a new file is written and synced, takes the name
/// of the old one, and the folder is synced. A crash leaves the one or the other.
struct VaultFile {
  /// The longest file, in bytes.
  static let maximumBytes = 64 << 20

  private let file: PrivateFile
  private let folder: String
  private let key: VaultKey?

  /// How the first line of each kind of file begins.
  private static let title = "podflux-vault 1 "
  private static let sealedHeader = Array((title + "aes-256-gcm\n").utf8)

  /// - Parameter folder: Where it lies.
  init(in folder: String, named name: String, key: VaultKey?) {
    self.folder = folder
    self.key = key
    file = PrivateFile(in: folder, named: name)
  }

  /// The file's secrets, and whether they are in plain text although there is a key; nil if there is no file.
  ///
  /// - Throws: `SecretVaultFailure`, also for a sealed file without its key.
  func read() throws(SecretVaultFailure) -> (bytes: [UInt8], mustBeSealed: Bool)? {
    guard let bytes = try contents() else { return nil }
    guard let end = bytes.prefix(128).firstIndex(of: UInt8(ascii: "\n")),
      bytes.starts(with: Array(Self.title.utf8))
    else { throw damage("is no vault of this version of Podflux") }
    let (header, body) = (bytes[...end], bytes[(end + 1)...])
    if header.elementsEqual(Self.sealedHeader) { return (try opened(body), false) }
    guard header.elementsEqual(Self.plainHeader(of: Array(body))) else { throw damage("is damaged") }
    return (Array(body), key != nil)
  }

  /// Replaces what it holds. It survives a power cut when this returns.
  func write(_ bytes: [UInt8]) throws(SecretVaultFailure) {
    let whole = try sealed(bytes)
    // A longer file could be written, but not read again.
    guard whole.count <= Self.maximumBytes else {
      throw SecretVaultFailure(
        "the vault has no room: it keeps at most \(Self.maximumBytes) bytes; close sessions and forget them")
    }
    do throws(FileError) {
      try file.replace(with: whole, needsPrivacy: key == nil)
    } catch {
      throw failure(of: "written", because: error)
    }
  }

  // MARK: Sealing

  private func sealed(_ bytes: [UInt8]) throws(SecretVaultFailure) -> [UInt8] {
    guard let key else { return Self.plainHeader(of: bytes) + bytes }
    do {
      return Self.sealedHeader + (try key.key.seal(bytes, header: Self.sealedHeader))
    } catch {
      throw SecretVaultFailure("libcrypto cannot seal the vault \"\(file.path)\", which is left as it is")
    }
  }

  private func opened(_ body: ArraySlice<UInt8>) throws(SecretVaultFailure) -> [UInt8] {
    guard let key else {
      throw SecretVaultFailure(
        """
        the vault "\(file.path)" is sealed; name the file of its key with PODFLUX_CREDENTIALS_KEY, with credentials-key in \
        the configuration, or for run and daemon with --credentials-key
        """)
    }
    do {
      return try key.key.open(body, header: Self.sealedHeader)
    } catch {
      throw damage("was sealed with another key, or is damaged")
    }
  }

  private static func plainHeader(of bytes: [UInt8]) -> [UInt8] {
    Array("\(title)plain sha-256=\(RunningDigest.sha256(of: bytes))\n".utf8)
  }

  // MARK: The file

  private func contents() throws(SecretVaultFailure) -> [UInt8]? {
    let found: PrivateFile.Contents?
    do throws(FileError) {
      found = try file.read(atMost: Self.maximumBytes)
    } catch {
      throw failure(of: "read", because: error)
    }
    guard let found else { return nil }
    guard found.isOwn else { throw damage("belongs to another user") }
    guard found.bytes.count <= Self.maximumBytes else { throw damage("is too long") }
    // Where the file system has no rights, it must be sealed.
    guard found.isPrivate || key != nil else { throw failure(of: "read", because: .notPrivate(path: file.path)) }
    return found.bytes
  }

  // MARK: Failures

  private func failure(of operation: String, because error: FileError) -> SecretVaultFailure {
    switch error {
    case .symbolicLink: damage("is a symbolic link")
    case .notARegularFile: damage("is no regular file")
    case .notPrivate:
      SecretVaultFailure(
        """
        other users can read what is kept in "\(folder)"; give a key (credentials-key), another folder (state), or \
        memory for secrets, in the configuration or as options of run and daemon
        """)
    default: SecretVaultFailure("the vault cannot be \(operation): \(error)")
    }
  }

  func damage(_ what: String) -> SecretVaultFailure {
    SecretVaultFailure("the vault \"\(file.path)\" \(what); move it away, and open the sessions again")
  }
}
