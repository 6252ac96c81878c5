import EngineRuntime
import Flux
import PodfluxCore

/// The vault of a simulated world: the product's own contents of a vault, in a file of the world.
final class SimulatedVault: SecretVault, @unchecked Sendable {
  // `@unchecked`: a world has one thread.

  let file: SimulatedVaultFile
  /// What the open library's vault has; nil while no engine holds the library.
  private var contents: VaultContents<SimulatedVaultFile>?
  /// Draws references, and which readings fail.
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed, index: 6)
    file = SimulatedVaultFile(seed: seed)
  }

  /// The library is opened: its vault has what the file has.
  func opened() { contents = VaultContents(file.secrets, in: file) }

  /// The library is given up, or its engine has died: what the file does not have is gone.
  func closed() { contents = nil }

  /// Whether an engine holds the library.
  var isOpen: Bool { contents != nil }
  /// The kept secrets, written or not.
  var secrets: [SecretReference: KeptSecret] { contents?.secrets ?? file.secrets }

  func newReference() -> SecretReference { SecretReference(from: &random) }

  func secret(for reference: SecretReference) throws(SecretVaultFailure) -> KeptSecret? {
    guard let contents else { throw Self.isClosed }
    if file.suffers(), random.once(in: 40) { throw SecretVaultFailure("the vault cannot be read") }
    return contents.secrets[reference]
  }

  func keep(_ secret: KeptSecret, under reference: SecretReference) throws(SecretVaultFailure) {
    guard contents != nil else { throw Self.isClosed }
    try contents?.keep(secret, under: reference)
  }

  func replace(_ secret: KeptSecret, under reference: SecretReference) -> SecretVaultFailure? {
    contents?.replace(secret, under: reference)
  }

  func writeHeld() throws(SecretVaultFailure) { try contents?.writeHeld() }
  func forget(_ reference: SecretReference) throws(SecretVaultFailure) { try contents?.forget(reference) }

  func spare(_ references: Set<SecretReference>) { contents?.spare(references) }

  func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {
    try contents?.sweep(keeping: references)
  }

  private static let isClosed = SecretVaultFailure("the vault is closed")
}

/// The file of a simulated vault: it survives crashes, and sometimes it cannot be written.
final class SimulatedVaultFile: VaultStorage {
  private(set) var secrets: [SecretReference: KeptSecret] = [:]
  /// Draws which writes fail.
  private var random: SeededGenerator
  /// Whether calls fail now and then.
  var suffers: () -> Bool = { false }
  /// Whether the disk has no room.
  var isFull: () -> Bool = { false }

  init(seed: UInt64) { random = SeededGenerator(seed: seed, index: 7) }

  func replace(with secrets: [SecretReference: KeptSecret]) throws(SecretVaultFailure) {
    let fails = isFull() || suffers() && random.once(in: 20)
    // The new file has the name of the old one already when its folder cannot be synced.
    if !fails || !isFull() && random.once(in: 3) { self.secrets = secrets }
    if fails { throw SecretVaultFailure("the vault cannot be written") }
  }
}

/// The way of clients' secrets into a simulated vault, as long as a process lives. Clients give them in the request.
final class SimulatedDoor: SecretDoor, @unchecked Sendable {
  // `@unchecked`: a world has one thread.

  private let vault: SimulatedVault
  /// The secrets of requests that are not answered yet.
  private var arriving: Set<SecretReference> = []

  init(_ vault: SimulatedVault) { self.vault = vault }

  /// Has the opened vault spare the secrets of requests that are not answered yet.
  func opened() { vault.spare(arriving) }

  func secret(from source: SecretSource, for wish: Session.Wish) throws(Refusal) -> KeptSecret {
    guard case .text(let text) = source else { preconditionFailure("a simulated client has no files") }
    return KeptSecret(text)
  }

  func keep(_ secret: KeptSecret) throws(Refusal) -> SecretReference {
    guard vault.isOpen else { throw .isSuspended }
    let reference = vault.newReference()
    try vault.keep(secret, ofRequestUnder: reference)
    arriving.insert(reference)
    return reference
  }

  func arrived(_ reference: SecretReference) { arriving.remove(reference) }

  /// What cannot be forgotten now the next start forgets.
  func forget(_ reference: SecretReference) {
    arrived(reference)
    try? vault.forget(reference)
  }
}
