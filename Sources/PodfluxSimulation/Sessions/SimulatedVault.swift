import EngineRuntime
import PodfluxCore

/// The vault of a simulated world: it survives crashes, and sometimes fails.
final class SimulatedVault: SecretVault, @unchecked Sendable {
  // `@unchecked`: a world has one thread.

  private(set) var kept: [SecretReference: KeptSecret] = [:]
  /// What was kept first since the library was opened.
  private var fresh: Set<SecretReference> = []
  /// Whether the next call fails.
  var fails: () -> Bool = { false }

  /// The library is opened.
  func opened() { fresh = [] }

  /// A client's secret comes in.
  func take(_ secret: String, as reference: SecretReference) {
    kept[reference] = KeptSecret(secret)
    fresh.insert(reference)
  }

  func secret(for reference: SecretReference) throws(SecretVaultFailure) -> KeptSecret? {
    try mayFail()
    return kept[reference]
  }

  func keep(_ secret: KeptSecret, under reference: SecretReference) throws(SecretVaultFailure) {
    try mayFail()
    if kept[reference] == nil { fresh.insert(reference) }
    kept[reference] = secret
  }

  func forget(_ reference: SecretReference) throws(SecretVaultFailure) {
    kept[reference] = nil
  }

  func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {
    for reference in kept.keys where !references.contains(reference) && !fresh.contains(reference) {
      kept[reference] = nil
    }
  }

  private func mayFail() throws(SecretVaultFailure) {
    if fails() { throw SecretVaultFailure("the vault cannot be written") }
  }
}
