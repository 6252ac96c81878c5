import EngineRuntime
import Flux
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
  /// Draws references and failures.
  private var random: SeededGenerator
  /// Whether calls fail now and then.
  var suffers: () -> Bool = { false }

  init(seed: UInt64) { random = SeededGenerator(seed: seed, index: 5) }

  /// The library is opened.
  func opened() { (fresh, held) = ([], [:]) }

  /// What is kept.
  var kept: [SecretReference: KeptSecret] { written.merging(held) { $1 } }

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

  func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {
    for reference in kept.keys where !references.contains(reference) && !fresh.contains(reference) {
      (written[reference], held[reference]) = (nil, nil)
    }
  }

  private func mayFail() throws(SecretVaultFailure) {
    if suffers(), random.once(in: 40) { throw SecretVaultFailure("the vault cannot be written") }
  }
}

/// Clients give their secrets in the request.
extension SimulatedVault: SecretDoor {
  func secret(from source: SecretSource, for wish: Session.Wish) throws(Refusal) -> KeptSecret {
    guard case .text(let text) = source else { preconditionFailure("a simulated client has no files") }
    return KeptSecret(text)
  }

  func keep(_ secret: KeptSecret) throws(Refusal) -> SecretReference {
    let reference = SecretReference(from: &random)
    try keep(secret, ofRequestUnder: reference)
    return reference
  }

  func forget(_ reference: SecretReference) { (written[reference], held[reference]) = (nil, nil) }
}
