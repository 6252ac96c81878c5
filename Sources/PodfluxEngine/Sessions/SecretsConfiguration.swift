import EngineRuntime
import Foundation
import Vault

/// Where an engine keeps the secrets of sessions: passwords and tokens. By default they are in a file of the state
/// folder that only its owner may read.
///
/// ```swift
/// configuration.secrets = SecretsConfiguration(keyFile: "/etc/podflux/key")
/// ```
///
/// A key file that cannot be read keeps the engine from starting (`EngineError.unusableKey`).
public struct SecretsConfiguration: Sendable {
  /// A file with the key that seals the vault, or a pipe; nil if the vault's rights alone protect it. It is read once
  /// by an engine.
  public var keyFile: String?
  /// Whether secrets end with the engine, and nothing is written.
  public var isInMemory: Bool
  /// The file that `netrc` in `sessions/open` means; nil for `.netrc` in the user's home.
  public var netrcFile: String?

  /// Makes a configuration.
  public init(keyFile: String? = nil, isInMemory: Bool = false, netrcFile: String? = nil) {
    self.keyFile = keyFile
    self.isInMemory = isInMemory
    self.netrcFile = netrcFile
  }

  /// The same, with the key that `systemd` has handed over (systemd.exec(5), `LoadCredential=podflux-key:…`) where no
  /// other one is named.
  public func withCredential(in environment: [String: String]) -> Self {
    var configuration = self
    configuration.keyFile = keyFile ?? VaultKey.credentialPath(in: environment)
    return configuration
  }

  /// The absolute path of the netrc file; nil if there is no home for one.
  var netrcPath: String? {
    if let netrcFile { return URL(fileURLWithPath: netrcFile).path }
    guard let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty else { return nil }
    return home + "/.netrc"
  }

  /// Reads the key, before the library is touched. It may wait for the writer of a pipe, which gives it once.
  func key() throws(EngineError) -> VaultKey? {
    guard !isInMemory, let keyFile else { return nil }
    do throws(VaultKey.Fault) {
      return try VaultKey(contentsOfFile: keyFile)
    } catch {
      throw .unusableKey(error.description)
    }
  }

  /// Opens the vault of a library that is held.
  ///
  /// - Parameter folder: The folder of its state.
  func openVault(in folder: String, key: VaultKey?) throws(EngineError) -> any SecretVault {
    do throws(SecretVaultFailure) {
      return try FileVault(in: folder, key: key)
    } catch {
      throw .unreadableLibrary(error.message)
    }
  }
}
