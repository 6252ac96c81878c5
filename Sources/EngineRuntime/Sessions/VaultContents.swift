import PodfluxCore

/// Where the secrets of a vault survive: a file, or what stands for it.
package protocol VaultStorage {
  /// Replaces all that it holds. The secrets survive a power cut when this returns; when it throws, it holds either
  /// what it held before or these.
  func replace(with secrets: [SecretReference: KeptSecret]) throws(SecretVaultFailure)
}

/// The secrets of an open vault. All are in memory, and with each change all are written anew.
///
/// A change that could not be written is undone, unless it is a server's: then memory is ahead of the storage until
/// something is written. Its methods are those of `SecretVault`; the vault around it locks.
package struct VaultContents<Storage: VaultStorage> {
  package private(set) var secrets: [SecretReference: KeptSecret]
  /// What was kept first since the vault was opened, and what else no sweep takes.
  private var spared: Set<SecretReference> = []
  /// Whether it has what the storage does not.
  private var isAhead = false
  private let storage: Storage

  /// - Parameters:
  ///   - secrets: What the storage holds.
  ///   - storage: What is written to.
  package init(_ secrets: [SecretReference: KeptSecret] = [:], in storage: Storage) {
    self.secrets = secrets
    self.storage = storage
  }

  /// Keeps a secret in the place of what was kept under its reference.
  package mutating func keep(
    _ secret: KeptSecret, under reference: SecretReference
  ) throws(SecretVaultFailure) {
    try change { contents in
      if contents.secrets.updateValue(secret, forKey: reference) == nil { contents.spared.insert(reference) }
    }
  }

  /// Keeps the secret with which a server has replaced the one that is kept under a reference, in memory at least.
  ///
  /// - Returns: Why it could not be written; nil if it survives, or nothing is kept under the reference.
  package mutating func replace(_ secret: KeptSecret, under reference: SecretReference) -> SecretVaultFailure? {
    guard secrets[reference] != nil else { return nil }
    isAhead = secrets.updateValue(secret, forKey: reference) != secret || isAhead
    do throws(SecretVaultFailure) {
      try writeHeld()
      return nil
    } catch {
      return error
    }
  }

  /// Writes what the storage does not have, if there is such a thing.
  package mutating func writeHeld() throws(SecretVaultFailure) {
    guard isAhead else { return }
    try storage.replace(with: secrets)
    isAhead = false
  }

  /// Deletes what is kept under a reference, if anything is.
  package mutating func forget(_ reference: SecretReference) throws(SecretVaultFailure) {
    try change { $0.secrets[reference] = nil }
  }

  /// Has `sweep` spare these references too.
  package mutating func spare(_ references: Set<SecretReference>) { spared.formUnion(references) }

  /// Deletes everything but what is kept under these references, and but what was kept first since the vault was
  /// opened.
  package mutating func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {
    try change { contents in
      let spared = contents.spared
      contents.secrets = contents.secrets.filter { references.contains($0.key) || spared.contains($0.key) }
    }
  }

  /// Changes what is kept, in the storage first: what could not be written is not kept.
  private mutating func change(_ body: (inout Self) -> Void) throws(SecretVaultFailure) {
    var changed = self
    body(&changed)
    changed.isAhead = changed.isAhead || changed.secrets != secrets
    try changed.writeHeld()
    self = changed
  }
}

extension VaultContents: Sendable where Storage: Sendable {}
