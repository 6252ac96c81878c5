import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import ScriptedOrigin
import Synchronization
import TestSupport
import Testing
import TestScheduling
import Vault

@testable import Transfers

@Suite("The service of sessions", .systemTest)
struct SessionServiceTests {
  /// What a service has told of what it could not do.
  private final class Failures: Sendable {
    private let all = Mutex<[String]>([])
    var list: [String] { all.withLock { $0 } }
    func add(_ failure: String) { all.withLock { $0.append(failure) } }
  }

  /// A service whose facts are written down.
  private final class Scene: Sendable {
    let origin: ScriptedOrigin
    let tokens: TokenServer
    let vault: any SecretVault
    let failures = Failures()
    let transfers: TransferService
    let service: SessionService
    let reference: SecretReference
    let session: SessionID
    private let facts: AsyncStream<SessionFact>

    init(
      rotates: Bool = false, seconds: Int? = nil, vault: any SecretVault = MemoryVault(),
      pauseOfWrites: DispatchTimeInterval = SessionService.pauseOfWrites
    ) throws {
      self.vault = vault
      let origin = try ScriptedOrigin.start()
      let tokens = TokenServer(refreshToken: "r 0/+", rotates: rotates, seconds: seconds)
      origin.serveForm("/token") { tokens.answer($0) }
      (self.origin, self.tokens) = (origin, tokens)
      var random = SeededGenerator(seed: 1)
      (reference, session) = (SecretReference(from: &random), SessionID(from: &random))
      let clock: @Sendable () -> ClockReading = { .init(wall: Self.now, monotonicMilliseconds: 0) }
      transfers = try TransferService(
        files: MemoryFiles(), authorities: nil, authorityBundlePath: "/nonexistent/bundle.pem", bootID: "boot",
        readClock: clock, report: { _ in })
      let (facts, continuation) = AsyncStream<SessionFact>.makeStream()
      self.facts = facts
      service = SessionService(
        transfers: transfers, vault: vault, pauseOfWrites: pauseOfWrites, readClock: clock,
        post: { continuation.yield($0) }, failed: { [failures] in failures.add("\($0)") })
    }

    deinit {
      service.stop()
      transfers.shutDown()
      service.shutDown()
    }

    static let now = Timestamp(milliseconds: 1_800_000_000_000)

    func opening(
      _ kind: Session.Kind = .refreshing, token: Int64 = 1, takesKept: Bool = true, at tokenURL: String? = nil
    ) throws -> SessionOpening {
      SessionOpening(
        id: .init(session: session, generation: token),
        wish: .init(
          hosts: ["127.0.0.1:\(origin.port)"], kind: kind,
          tokenURL: try WebAddress(tokenURL ?? origin.url("/token")),
          secret: reference),
        token: token, takesKept: takesKept, settings: Settings(), route: .any)
    }

    func next() async throws -> SessionFact {
      for await fact in facts { return fact }
      throw NothingTold()
    }

    struct NothingTold: Error {}
  }

  @Test(
    "gets a token, keeps it with what the next one is got with, and gives it to requests", arguments: [false, true])
  func opens(rotates: Bool) async throws {
    let scene = try Scene(rotates: rotates, seconds: 3600)
    try scene.vault.keep(KeptSecret("r 0/+"), under: scene.reference)
    let expires = Scene.now.advanced(byMilliseconds: 3_600_000)
    for number in 1...3 as ClosedRange<Int64> {
      let opening = try scene.opening(token: number, takesKept: number == 1)
      scene.service.carryOut(.open(opening))
      #expect(try await scene.next() == .opened(opening.id, expires: expires))
      let kept = try scene.vault.secret(for: scene.reference)
      #expect(kept?.secret == (rotates ? "token-refresh-\(number)" : "r 0/+"))
      #expect(kept?.access == .init("token-access-\(number)", expires: expires, number: number))
      #expect(scene.transfers.driver.credentials[scene.session]?.secret == "token-access-\(number)")
      #expect(scene.tokens.counts.refreshes == Int(number))
    }
    // An engine that ended behind the third asks for it once more, and none is got anew.
    let again = try scene.opening(token: 3, takesKept: false)
    scene.service.carryOut(.open(again))
    #expect(try await scene.next() == .opened(again.id, expires: expires))
    #expect(scene.tokens.counts.refreshes == 3)
    scene.service.carryOut(.leave(scene.session))
    scene.service.shutDown()
    #expect(scene.transfers.driver.credentials[scene.session] == nil)
  }

  @Test("A rotated token that the full disk does not take is in use, renewed in its turn, and written at the end")
  func fullDisk() async throws {
    let folder = try TemporaryFolder()
    let (path, elsewhere) = (folder.path + "/own", folder.path + "/away")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let scene = try Scene(rotates: true, vault: FileVault(in: path, key: nil))
    try scene.vault.keep(KeptSecret("r 0/+"), under: scene.reference)
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
    for number in 1...2 as ClosedRange<Int64> {
      let opening = try scene.opening(token: number, takesKept: false)
      scene.service.carryOut(.open(opening))
      #expect(try await scene.next() == .opened(opening.id, expires: nil))
      #expect(scene.transfers.driver.credentials[scene.session]?.secret == "token-access-\(number)")
      #expect(scene.failures.list.count == Int(number))
    }
    #expect(scene.failures.list.allSatisfy { $0.hasPrefix("writing") && !$0.contains("token-") })
    #expect(scene.tokens.counts.refreshes == 2, "the second one was got with what the first has brought")
    try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
    scene.service.shutDown()
    let kept = try FileVault(in: path, key: nil).secret(for: scene.reference)
    #expect(kept?.secret == "token-refresh-2" && kept?.access?.value == "token-access-2")
    #expect(scene.failures.list.count == 2)
  }

  /// A vault of memory that cannot write what a server has replaced: only the third time that it is asked to.
  private final class ReluctantVault: SecretVault {
    private let memory = MemoryVault()
    private let tries = Mutex(0)
    private let tellWritten: AsyncStream<Int>.Continuation
    /// After how many tries it has written.
    let written: AsyncStream<Int>

    init() { (written, tellWritten) = AsyncStream<Int>.makeStream() }

    func secret(for reference: SecretReference) throws(SecretVaultFailure) -> KeptSecret? {
      try memory.secret(for: reference)
    }
    func keep(_ secret: KeptSecret, under reference: SecretReference) throws(SecretVaultFailure) {
      try memory.keep(secret, under: reference)
    }
    func replace(_ secret: KeptSecret, under reference: SecretReference) -> SecretVaultFailure? {
      memory.replace(secret, under: reference) ?? SecretVaultFailure("the disk is full")
    }
    func writeHeld() throws(SecretVaultFailure) {
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      guard number >= 3 else { throw SecretVaultFailure("the disk is still full") }
      tellWritten.yield(number)
    }
    func forget(_ reference: SecretReference) throws(SecretVaultFailure) { try memory.forget(reference) }
    func spare(_ references: Set<SecretReference>) { memory.spare(references) }
    func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure) {
      try memory.sweep(keeping: references)
    }
  }

  @Test("A rotated token that cannot be written is tried again after each pause, until it is written")
  func writesAgain() async throws {
    let vault = ReluctantVault()
    let scene = try Scene(rotates: true, vault: vault, pauseOfWrites: .milliseconds(1))
    try vault.keep(KeptSecret("r 0/+"), under: scene.reference)
    let opening = try scene.opening(takesKept: false)
    scene.service.carryOut(.open(opening))
    #expect(try await scene.next() == .opened(opening.id, expires: nil))
    #expect(await vault.written.first { _ in true } == 3)
    let failures = scene.failures.list
    #expect(failures.count == 3 && failures.allSatisfy { $0.hasPrefix("writing") })
  }

  @Test("asks no server where the secret itself is sent", arguments: [Session.Kind.basic, .digest, .bearer])
  func secrets(kind: Session.Kind) async throws {
    let scene = try Scene()
    try scene.vault.keep(KeptSecret("pw"), under: scene.reference)
    let opening = try scene.opening(kind)
    scene.service.carryOut(.open(opening))
    #expect(try await scene.next() == .opened(opening.id, expires: nil))
    #expect(scene.transfers.driver.credentials[scene.session]?.secret == "pw" && scene.origin.requests.isEmpty)
  }

  @Test("tells why there is no token, and whether another try may help")
  func fails() async throws {
    let scene = try Scene()
    func failure(_ token: Int64, at tokenURL: String? = nil) async throws -> DownloadError? {
      scene.service.carryOut(.open(try scene.opening(token: token, at: tokenURL)))
      guard case .failed(let id, let error) = try await scene.next(), id.generation == token else { return nil }
      return error
    }
    #expect(try await failure(1)?.message.contains("not in the vault") == true)
    try scene.vault.keep(KeptSecret("r 0/+"), under: scene.reference)
    scene.tokens.become(.failing)
    #expect(try await failure(2)?.isTransient == true)
    scene.tokens.become(.refusing)
    let refused = try await failure(3)
    #expect(refused?.code == .unauthorized && refused?.isTransient == false)
    scene.origin.serveForm("/token") { _ in .redirect(307, to: "/elsewhere") }
    #expect(try await failure(4)?.isTransient == false)
    #expect(scene.origin.snapshot.requests(path: "/elsewhere").isEmpty)
    // No program listens there, and no origin of another test gets this port: it is not one of those given out.
    #expect(try await failure(5, at: "http://127.0.0.1:1/token")?.code == .connectFailed)
    #expect(scene.transfers.driver.credentials[scene.session] == nil)
  }

  @Test("What a server replaces while its session is left and opened again is what the next opening asks with")
  func leaves() async throws {
    let scene = try Scene(rotates: true)
    try scene.vault.keep(KeptSecret("r 0/+"), under: scene.reference)
    scene.tokens.become(.willing, delayMilliseconds: 300)
    scene.service.carryOut(.open(try scene.opening()))
    scene.service.carryOut(.open(try scene.opening()))
    try scene.origin.wait(upTo: .seconds(20)) { !$0.requests.isEmpty }
    scene.service.carryOut(.leave(scene.session))
    let second = try scene.opening(token: 2, takesKept: false)
    scene.service.carryOut(.open(second))
    #expect(try await scene.next() == .opened(second.id, expires: nil), "the first one is not told")
    #expect(scene.origin.requests.count == 2, "the same order twice is one opening")
    #expect(try scene.vault.secret(for: scene.reference)?.secret == "token-refresh-2")
  }

  @Test("An opening with another secret does not wait for the answer to the former one")
  func otherSecret() async throws {
    let scene = try Scene()
    scene.origin.serveForm("/token") { _ in Behaviour.status(200).failingBeforeHead(.stall) }
    var random = SeededGenerator(seed: 2)
    let wrong = SecretReference(from: &random)
    try scene.vault.keep(KeptSecret("wrong"), under: wrong)
    try scene.vault.keep(KeptSecret("r 0/+"), under: scene.reference)
    var first = try scene.opening()
    first.wish.secret = wrong
    scene.service.carryOut(.open(first))
    try scene.origin.wait(upTo: .seconds(20)) { !$0.requests.isEmpty }
    scene.service.carryOut(.leave(scene.session))
    scene.origin.serveForm("/token") { [tokens = scene.tokens] in tokens.answer($0) }
    let second = try scene.opening(token: 2)
    scene.service.carryOut(.open(second))
    #expect(try await scene.next() == .opened(second.id, expires: nil))
  }

  @Test("forgets secrets, and sweeps")
  func forgets() async throws {
    let scene = try Scene()
    try scene.vault.keep(KeptSecret("x"), under: scene.reference)
    scene.service.carryOut(.sweep(keeping: []))
    scene.service.shutDown()
    #expect(try scene.vault.secret(for: scene.reference) != nil, "it came since the vault was opened")
    scene.service.carryOut(.forget(scene.reference))
    scene.service.shutDown()
    #expect(try scene.vault.secret(for: scene.reference) == nil)
  }
}
