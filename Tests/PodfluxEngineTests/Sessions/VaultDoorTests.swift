import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import TestSupport
import Testing
import Vault

@testable import PodfluxEngine

@Suite("A secret on its way to the vault")
struct VaultDoorTests {
  private let folder: TemporaryFolder
  private let vault = MemoryVault()
  private let door: VaultDoor

  init() throws {
    folder = try TemporaryFolder()
    door = VaultDoor(netrcFile: folder.path + "/netrc")
    door.open(vault)
  }

  private func wish(_ kind: Session.Kind = .basic, user: String? = "me") -> Session.Wish {
    Session.Wish(hosts: ["a.example"], kind: kind, user: user)
  }

  private func open(_ source: SecretSource?, _ wish: Session.Wish? = nil) -> Intent {
    .sessions(.open(.init(login: Login(wish ?? self.wish(), source: source))))
  }

  private func write(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
    return folder.path + "/" + name
  }

  /// A pipe that no program writes into: who waits for it waits for ever.
  private func pipe(_ name: String) throws -> String {
    let path = folder.path + "/" + name
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  @Test("leaves a reference in its place, in every intent that can have one")
  func references() throws {
    let choice = SessionChoice.new(Login(wish(), source: .text("s3cret")))
    let address = try WebAddress("https://a.example/")
    var (download, feed) = (DownloadIntent.Update(), PodcastIntent.Update())
    (download.session, feed.session) = (choice, choice)
    let (id, feedID) = (try #require(DownloadID("a")), try #require(FeedID("a")))
    let intents: [Intent] = [
      open(.text("s3cret")), .downloads(.enqueue(.init(address: address, session: choice))),
      .downloads(.update(id, download)), .podcasts(.subscribe(.init(address: address, session: choice))),
      .podcasts(.update(feedID, feed)),
    ]
    var references: Set<SecretReference> = []
    for intent in intents {
      let taken = try door.takingSecret(of: intent)
      let login = try #require(taken.login)
      #expect(login.source == nil)
      let reference = try #require(login.wish.secret)
      #expect(try vault.secret(for: reference) == KeptSecret("s3cret"))
      references.insert(reference)
      var dumped = "\(taken)"
      dump(taken, to: &dumped)
      dump(intent, to: &dumped)
      #expect(!dumped.contains("s3cret"))
    }
    #expect(references.count == intents.count)
    #expect(try door.takingSecret(of: open(nil)) == open(nil), "a session that is there keeps its own")
    #expect(try door.takingSecret(of: .downloads(.pause(.all))) == .downloads(.pause(.all)))
  }

  @Test("leaves the address that it was given in")
  func parameters() throws {
    let login = Login(Session.Wish(hosts: [], kind: .parameter))
    let address = try WebAddress("https://a.example/f?auth=s3cret&n=1")
    let taken = try door.takingSecret(of: .podcasts(.subscribe(.init(address: address, session: .new(login)))))
    guard case .podcasts(.subscribe(let wish)) = taken, case .new(let kept)? = wish.session else {
      Issue.record("\(taken)")
      return
    }
    #expect(wish.address.description == "https://a.example/f?n=1")
    #expect(kept.wish.parameter == "auth" && kept.source == nil)
    #expect(try vault.secret(for: #require(kept.wish.secret)) == KeptSecret("s3cret"))
    let nameless = Intent.podcasts(.subscribe(.init(address: wish.address, session: .new(login))))
    #expect(throws: Refusal.self) { try door.takingSecret(of: nameless) }
  }

  @Test("is no other session's: a client cannot name a reference")
  func foreignReference() throws {
    var random = SeededGenerator(seed: 1)
    var wish = wish()
    wish.secret = SecretReference(from: &random)
    let refusal = #expect(throws: Refusal.self) { try door.takingSecret(of: open(nil, wish)) }
    #expect(refusal?.code == .unknownField)
  }

  @Test("is refused while the library is not held")
  func closed() throws {
    door.close(refusing: .hasStopped)
    #expect(throws: Refusal.hasStopped) { try door.takingSecret(of: open(.text("s3cret"))) }
    #expect(throws: Refusal.isSuspended) {
      try VaultDoor(netrcFile: nil).takingSecret(of: open(.text("s3cret")))
    }
  }

  @Test("is there when the library is opened again before its request is answered")
  func arriving() throws {
    func sweep() throws -> FileVault {
      let vault = try FileVault(in: folder.path, key: nil)
      door.open(vault)
      try vault.sweep(keeping: [])
      return vault
    }
    _ = try sweep()
    let reference = try door.keep(KeptSecret("s3cret"))
    door.close(refusing: .isSuspended)
    #expect(try sweep().secret(for: reference) == KeptSecret("s3cret"))
    door.arrived(reference)
    #expect(try sweep().secret(for: reference) == nil, "no session has it")
    let refused = try door.keep(KeptSecret("s3cret"))
    door.close(refusing: .isSuspended)
    door.forget(refused)
    #expect(try sweep().secret(for: refused) == nil)
  }

  @Test("comes from a file without its line end, and no refusal repeats any of it")
  func files() throws {
    let taken = try door.takingSecret(of: open(.file(try write("s3cret é \r\n", "good"))))
    #expect(try vault.secret(for: #require(taken.login?.wish.secret)) == KeptSecret("s3cret é "))
    let bad = [
      try write("", "empty"), try write("\n\n", "blank"), try write("s3cret\ns3cret\n", "lines"),
      try write("s3cret\u{0}", "zero"), try write(String(repeating: "s3cret", count: 4000), "long"),
      folder.path + "/none", folder.path, try pipe("pipe"),
    ]
    for path in bad {
      let refusal = #expect(throws: Refusal.self) { try door.takingSecret(of: open(.file(path))) }
      #expect(refusal?.path == "payload.secretFile" && refusal?.message.contains("s3cret") == false, "\(path)")
    }
  }

  @Test("stays in the netrc file, which has the name too")
  func netrc() throws {
    #expect(throws: Refusal.self) { try door.takingSecret(of: open(.netrc)) }
    let path = try write("machine a.example login me password s3cret\n", "netrc")
    let login = try #require(try door.takingSecret(of: open(.netrc, wish(user: nil))).login)
    #expect(login.wish.user == "")
    #expect(try vault.secret(for: #require(login.wish.secret)) == KeptSecret(path, isNetrcFile: true))
    #expect(throws: Refusal.self) { try door.takingSecret(of: open(.netrc, wish(.bearer))) }
  }
}
