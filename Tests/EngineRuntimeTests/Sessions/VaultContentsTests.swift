import EngineRuntime
import Flux
import PodfluxCore
import Testing

@Suite("The contents of a vault")
struct VaultContentsTests {
  /// What is written, unless it cannot be.
  private final class Storage: VaultStorage {
    private(set) var secrets: [SecretReference: KeptSecret] = [:]
    private(set) var writes = 0
    var fails = false

    func replace(with secrets: [SecretReference: KeptSecret]) throws(SecretVaultFailure) {
      guard !fails else { throw SecretVaultFailure("the disk is full") }
      self.secrets = secrets
      writes += 1
    }
  }

  private let storage = Storage()
  private let references: [SecretReference]
  private let secret = KeptSecret("s3cret")

  init() {
    var random = SeededGenerator(seed: 1)
    references = (0..<4).map { _ in SecretReference(from: &random) }
  }

  /// What a vault has that is opened now.
  private func opened() -> VaultContents<Storage> { VaultContents(storage.secrets, in: storage) }

  @Test("are written with each change, and only then")
  func changes() throws {
    var contents = opened()
    try contents.keep(secret, under: references[0])
    try contents.keep(secret, under: references[1])
    #expect(storage.writes == 2)
    try contents.keep(secret, under: references[1])
    try contents.forget(references[2])
    try contents.sweep(keeping: Set(references))
    try contents.writeHeld()
    #expect(contents.replace(secret, under: references[0]) == nil)
    #expect(storage.writes == 2, "nothing has changed")
    try contents.forget(references[0])
    #expect(storage.secrets == [references[1]: secret])
    #expect(contents.secrets == storage.secrets)
  }

  @Test("keep what could not be deleted; a sweep of the next start deletes it")
  func failingDeletions() throws {
    var contents = opened()
    for reference in references[..<2] { try contents.keep(secret, under: reference) }
    storage.fails = true
    #expect(throws: SecretVaultFailure.self) { try contents.forget(references[0]) }
    #expect(contents.secrets.count == 2)
    contents = opened()
    #expect(throws: SecretVaultFailure.self) { try contents.sweep(keeping: [references[1]]) }
    #expect(contents.secrets.count == 2)
    storage.fails = false
    // What could not be written is not held for later.
    try contents.writeHeld()
    #expect(storage.secrets.count == 2)
    try contents.sweep(keeping: [references[1]])
    #expect(storage.secrets == [references[1]: secret])
  }

  @Test("hold what a server has replaced until it can be written, with any change")
  func held() throws {
    var contents = opened()
    try contents.keep(secret, under: references[0])
    storage.fails = true
    #expect(contents.replace(KeptSecret("r0tated"), under: references[0]) == SecretVaultFailure("the disk is full"))
    #expect(throws: SecretVaultFailure.self) { try contents.keep(secret, under: references[1]) }
    #expect(throws: SecretVaultFailure.self) { try contents.writeHeld() }
    #expect(contents.secrets == [references[0]: KeptSecret("r0tated")])
    #expect(storage.secrets == [references[0]: secret])
    storage.fails = false
    try contents.forget(references[3])
    #expect(storage.secrets == [references[0]: KeptSecret("r0tated")])
  }

  /// The simulator's seed 3: a client had opened a session while its engine was being suspended. The request was
  /// answered when the library was opened again, and that start had deleted its secret.
  @Test("are swept of what no session has, but not of what came since they were opened, or is to be spared")
  func sweeping() throws {
    var contents = opened()
    for reference in references[..<3] { try contents.keep(secret, under: reference) }
    contents = opened()
    contents.spare([references[1]])
    try contents.keep(secret, under: references[3])
    try contents.sweep(keeping: [references[0]])
    #expect(Set(storage.secrets.keys) == [references[0], references[1], references[3]])
    contents = opened()
    try contents.sweep(keeping: [references[0]])
    #expect(Set(storage.secrets.keys) == [references[0]])
  }
}
