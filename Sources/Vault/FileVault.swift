import EngineRuntime
import FileStore
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// A vault in a file of the library's own folder. All secrets are read when it is opened; `VaultContents` says when
/// they are written, which waits for the disk.
package final class FileVault: SecretVault {
  /// The file's name.
  package static let name = Library.secretsName

  /// Where the file of a vault is, or would be.
  ///
  /// - Parameter folder: The folder of the library's state.
  package static func path(in folder: String) -> String { folder + "/" + name }

  private let contents: Mutex<VaultContents<VaultFile>>

  /// Opens the vault of a library; there is no file before something is kept. One in plain text is sealed if there is a
  /// key; a sealed one is never written in plain text.
  ///
  /// - Parameters:
  ///   - folder: The folder of the library's state.
  ///   - key: What seals it; nil if the file's rights alone protect it.
  /// - Throws: `SecretVaultFailure` if the file is damaged, is another's, or cannot be read with this key.
  package init(in folder: String, key: VaultKey?) throws(SecretVaultFailure) {
    let file = VaultFile(in: folder, named: Self.name, key: key)
    guard let kept = try file.read() else {
      contents = Mutex(VaultContents(in: file))
      return
    }
    guard let document = try? JSONDecoder().decode(VaultDocument.self, from: Data(kept.bytes)),
      let secrets = document.kept
    else { throw file.damage("is damaged") }
    contents = Mutex(VaultContents(secrets, in: file))
    if kept.mustBeSealed { try file.replace(with: secrets) }
  }

  package func secret(for reference: SecretReference) throws(SecretVaultFailure) -> KeptSecret? {
    contents.withLock { $0.secrets[reference] }
  }

  package func keep(_ secret: KeptSecret, under reference: SecretReference) throws(SecretVaultFailure) {
    try contents.withLock { (contents) throws(SecretVaultFailure) in try contents.keep(secret, under: reference) }
  }

  package func replace(_ secret: KeptSecret, under reference: SecretReference) -> SecretVaultFailure? {
    contents.withLock { $0.replace(secret, under: reference) }
  }

  package func writeHeld() throws(SecretVaultFailure) {
    try contents.withLock { (contents) throws(SecretVaultFailure) in try contents.writeHeld() }
  }

  package func forget(_ reference: SecretReference) throws(SecretVaultFailure) {
    try contents.withLock { (contents) throws(SecretVaultFailure) in try contents.forget(reference) }
  }

  package func spare(_ references: Set<SecretReference>) { contents.withLock { $0.spare(references) } }

  package func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {
    try contents.withLock { (contents) throws(SecretVaultFailure) in try contents.sweep(keeping: references) }
  }
}

extension VaultFile: VaultStorage {
  func replace(with secrets: [SecretReference: KeptSecret]) throws(SecretVaultFailure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try encoder.encode(VaultDocument(secrets)))
    } catch {
      throw SecretVaultFailure("the secrets cannot be written as JSON")
    }
    try write(bytes)
  }
}

/// A vault that ends with the engine: each start asks for the secrets again.
package final class MemoryVault: SecretVault {
  private let secrets = Mutex<[SecretReference: KeptSecret]>([:])

  package init() {}

  package func secret(for reference: SecretReference) throws(SecretVaultFailure) -> KeptSecret? {
    secrets.withLock { $0[reference] }
  }

  package func keep(_ secret: KeptSecret, under reference: SecretReference) throws(SecretVaultFailure) {
    secrets.withLock { $0[reference] = secret }
  }

  package func replace(_ secret: KeptSecret, under reference: SecretReference) -> SecretVaultFailure? {
    secrets.withLock { if $0[reference] != nil { $0[reference] = secret } }
    return nil
  }

  package func writeHeld() throws(SecretVaultFailure) {}

  package func forget(_ reference: SecretReference) throws(SecretVaultFailure) {
    secrets.withLock { $0[reference] = nil }
  }

  package func spare(_ references: Set<SecretReference>) {}

  /// Everything was put here since it was opened.
  package func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {}
}

/// The secrets as JSON.
private struct VaultDocument: Codable {
  struct Entry: Codable {
    var secret: String
    /// Left out where it is false.
    var isNetrcFile: Bool?
    var token: String?
    var expires: Int64?
    var number: Int64?
  }

  let secrets: [String: Entry]

  init(_ kept: [SecretReference: KeptSecret]) {
    secrets = Dictionary(
      uniqueKeysWithValues: kept.map { reference, secret in
        (
          reference.description,
          Entry(
            secret: secret.secret, isNetrcFile: secret.isNetrcFile ? true : nil, token: secret.access?.value,
            expires: secret.access?.expires?.milliseconds,
            number: secret.access?.number)
        )
      })
  }

  /// The decoded secrets; nil if the file is invalid.
  var kept: [SecretReference: KeptSecret]? {
    var kept: [SecretReference: KeptSecret] = [:]
    for (name, entry) in secrets {
      guard let reference = SecretReference(name) else { return nil }
      var secret = KeptSecret(entry.secret, isNetrcFile: entry.isNetrcFile ?? false)
      if let token = entry.token, let number = entry.number {
        secret.access = .init(token, expires: entry.expires.map(Timestamp.init(milliseconds:)), number: number)
      }
      kept[reference] = secret
    }
    return kept
  }
}
