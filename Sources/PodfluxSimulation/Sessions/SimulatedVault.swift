import EngineRuntime
import PodfluxCore

/// The vault of a simulated world: it survives crashes, and sometimes fails.
final class SimulatedVault: SecretVault, @unchecked Sendable {
  // `@unchecked`: a world has one thread.

  /// What is on the disk.
  private var written: [SecretReference: KeptSecret] = [:]
  /// What is not, because the disk was full when a server replaced it: a crash takes it.
  private var held: [SecretReference: KeptSecret] = [:]
  /// What was kept first since the library was opened.
  private var fresh: Set<SecretReference> = []
  /// Whether the next call fails.
  var fails: () -> Bool = { false }

  /// The library is opened.
  func opened() { (fresh, held) = ([], [:]) }

  /// What is kept.
  var kept: [SecretReference: KeptSecret] { written.merging(held) { $1 } }

  /// A client's secret comes in.
  func take(_ secret: String, as reference: SecretReference) {
    written[reference] = KeptSecret(secret)
    fresh.insert(reference)
  }

  func secret(for reference: SecretReference) throws(SecretVaultFailure) -> KeptSecret? {
    try mayFail()
    return kept[reference]
  }

  func keep(_ secret: KeptSecret, under reference: SecretReference) throws(SecretVaultFailure) {
    try mayFail()
    if kept[reference] == nil { fresh.insert(reference) }
    written = kept
    written[reference] = secret
    held = [:]
  }

  func replace(_ secret: KeptSecret, under reference: SecretReference) -> SecretVaultFailure? {
    guard kept[reference] != nil else { return nil }
    do throws(SecretVaultFailure) {
      try keep(secret, under: reference)
      return nil
    } catch {
      held[reference] = secret
      return error
    }
  }

  func writeHeld() throws(SecretVaultFailure) {
    guard !held.isEmpty else { return }
    try mayFail()
    (written, held) = (kept, [:])
  }

  func forget(_ reference: SecretReference) throws(SecretVaultFailure) {
    (written[reference], held[reference]) = (nil, nil)
  }

  func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {
    for reference in kept.keys where !references.contains(reference) && !fresh.contains(reference) {
      (written[reference], held[reference]) = (nil, nil)
    }
  }

  private func mayFail() throws(SecretVaultFailure) {
    if fails() { throw SecretVaultFailure("the vault cannot be written") }
  }
}
