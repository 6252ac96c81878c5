import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import Synchronization

/// A vault in a file of the library's own folder. All secrets are read when it is opened, and the file is written anew
/// with each change, which waits for the disk. A change that could not be written is undone, unless it is a server's:
/// then memory is ahead of the file until something is written.
package final class FileVault: SecretVault {
  /// The file's name.
  package static let name = "secrets"

  /// Where the file of a vault is, or would be.
  ///
  /// - Parameter folder: The folder of the library's state.
  package static func path(in folder: String) -> String { folder + "/" + name }

  private struct State {
    var secrets: [SecretReference: KeptSecret]
    /// What was kept first since the vault was opened.
    var isNew: Set<SecretReference> = []
    /// Whether it has what the file does not.
    var isAhead = false
  }

  private let file: VaultFile
  private let state: Mutex<State>

  /// Opens the vault of a library; there is no file before something is kept. One in plain text is sealed if there is a
  /// key; a sealed one is never written in plain text.
  ///
  /// - Parameters:
  ///   - folder: The folder of the library's state.
  ///   - key: What seals it; nil if the file's rights alone protect it.
  /// - Throws: `SecretVaultFailure` if the file is damaged, is another's, or cannot be read with this key.
  package init(in folder: String, key: VaultKey?) throws(SecretVaultFailure) {
    file = VaultFile(in: folder, named: Self.name, key: key)
    guard let kept = try file.read() else {
      state = Mutex(State(secrets: [:]))
      return
    }
    guard let document = try? JSONDecoder().decode(VaultDocument.self, from: Data(kept.bytes)),
      let secrets = document.kept
    else { throw file.damage("is damaged") }
    state = Mutex(State(secrets: secrets))
    if kept.mustBeSealed { try file.write(Self.bytes(of: secrets)) }
  }

  package func secret(for reference: SecretReference) throws(SecretVaultFailure) -> KeptSecret? {
    state.withLock { $0.secrets[reference] }
  }

  package func keep(_ secret: KeptSecret, under reference: SecretReference) throws(SecretVaultFailure) {
    try change { state in
      if state.secrets.updateValue(secret, forKey: reference) == nil { state.isNew.insert(reference) }
    }
  }

  package func replace(_ secret: KeptSecret, under reference: SecretReference) -> SecretVaultFailure? {
    state.withLock { state in
      guard state.secrets[reference] != nil else { return nil }
      state.isAhead = state.secrets.updateValue(secret, forKey: reference) != secret || state.isAhead
      do throws(SecretVaultFailure) {
        try write(&state)
        return nil
      } catch {
        return error
      }
    }
  }

  package func writeHeld() throws(SecretVaultFailure) {
    try state.withLock { (state) throws(SecretVaultFailure) in try write(&state) }
  }

  package func forget(_ reference: SecretReference) throws(SecretVaultFailure) {
    try change { $0.secrets[reference] = nil }
  }

  package func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {
    try change { state in
      let isNew = state.isNew
      state.secrets = state.secrets.filter { references.contains($0.key) || isNew.contains($0.key) }
    }
  }

  /// Changes what is kept, on the disk first: what could not be written is not kept.
  private func change(_ body: (inout State) -> Void) throws(SecretVaultFailure) {
    try state.withLock { (state) throws(SecretVaultFailure) in
      var changed = state
      body(&changed)
      changed.isAhead = changed.isAhead || changed.secrets != state.secrets
      try write(&changed)
      state = changed
    }
  }

  private func write(_ state: inout State) throws(SecretVaultFailure) {
    guard state.isAhead else { return }
    try file.write(Self.bytes(of: state.secrets))
    state.isAhead = false
  }

  private static func bytes(of secrets: [SecretReference: KeptSecret]) throws(SecretVaultFailure) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      return [UInt8](try encoder.encode(VaultDocument(secrets)))
    } catch {
      throw SecretVaultFailure("the secrets cannot be written as JSON")
    }
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

  /// What it means; nil if it means nothing.
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
