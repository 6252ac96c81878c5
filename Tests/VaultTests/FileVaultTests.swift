import EngineRuntime
import Flux
import Foundation
import PodfluxCore
import TestSupport
import Testing

@testable import Vault

@Suite("A vault in a file")
struct FileVaultTests {
  private let folder: TemporaryFolder
  private let references: [SecretReference]
  private static let secret = KeptSecret(
    "s3cret-1", access: .init("t0ken-1", expires: Timestamp(milliseconds: 1_800_000_000_000), number: 3))

  init() throws {
    folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 1)
    references = (0..<4).map { _ in SecretReference(from: &random) }
  }

  private var path: String { folder.path + "/" + FileVault.name }
  private var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) } }

  private static func key(_ text: String = "0123456789abcdef\n") throws -> VaultKey {
    try VaultKey(Array(text.utf8), from: "key")
  }

  private func vault(_ key: VaultKey? = nil) throws -> FileVault { try FileVault(in: folder.path, key: key) }

  @Test("keeps secrets over its end, for its owner alone", arguments: [false, true])
  func keeps(isSealed: Bool) throws {
    let key = isSealed ? try Self.key() : nil
    do {
      let vault = try vault(key)
      #expect(!FileManager.default.fileExists(atPath: path), "there is no file before there is a secret")
      try vault.keep(Self.secret, under: references[0])
      try vault.keep(KeptSecret("s3cret-2"), under: references[1])
      try vault.keep(KeptSecret("/home/me/.netrc", isNetrcFile: true), under: references[2])
      try vault.keep(KeptSecret("s3cret-3"), under: references[1])
    }
    let again = try vault(key)
    #expect(try again.secret(for: references[0]) == Self.secret)
    #expect(try again.secret(for: references[1]) == KeptSecret("s3cret-3"))
    #expect(try again.secret(for: references[2]) == KeptSecret("/home/me/.netrc", isNetrcFile: true))
    #expect(try again.secret(for: references[3]) == nil)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let text = String(decoding: try bytes, as: UTF8.self)
    #expect(text.contains("s3cret-3") == !isSealed)
    #expect(!text.contains("s3cret-2"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [FileVault.name])
  }

  @Test("keeps no more than it can read again")
  func tooMuch() throws {
    let vault = try vault()
    try vault.keep(Self.secret, under: references[0])
    let large = KeptSecret(String(repeating: "x", count: VaultFile.maximumBytes))
    #expect(throws: SecretVaultFailure.self) { try vault.keep(large, under: references[1]) }
    #expect(try vault.secret(for: references[1]) == nil)
    #expect(try self.vault().secret(for: references[0]) == Self.secret)
  }

  @Test("forgets, and sweeps what no session refers to, but not what came since")
  func sweeps() throws {
    do {
      let vault = try vault()
      for reference in references[..<3] { try vault.keep(Self.secret, under: reference) }
      try vault.forget(references[2])
      try vault.forget(references[3])
    }
    let again = try vault()
    #expect(try again.secret(for: references[2]) == nil)
    try again.keep(KeptSecret("new"), under: references[3])
    try again.sweep(keeping: [references[0]])
    let kept = try references.map { try again.secret(for: $0) != nil }
    #expect(kept == [true, false, false, true])
    #expect(try references.map { try vault().secret(for: $0) != nil } == kept)
  }

  @Test("is sealed once a key is given, and then opens with that key alone")
  func sealing() throws {
    try vault().keep(Self.secret, under: references[0])
    #expect(try vault(Self.key()).secret(for: references[0]) == Self.secret)
    #expect(!String(decoding: try bytes, as: UTF8.self).contains("s3cret"))
    for key in [nil, try Self.key("another key of 32 bytes, or more")] {
      let failure = #expect(throws: SecretVaultFailure.self) { try vault(key) }
      #expect(failure?.message.contains(key == nil ? "--credentials-key" : "another key") == true)
    }
    #expect(try vault(Self.key("0123456789abcdef")).secret(for: references[0]) == Self.secret)
    let first = try bytes
    try vault(Self.key()).keep(KeptSecret("x"), under: references[1])
    #expect(try bytes != first)
  }

  @Test("opens what earlier versions have sealed, with another library")
  func opensEarlier() throws {
    let sealed = """
      cG9kZmx1eC12YXVsdCAxIGFlcy0yNTYtZ2NtCtPBSPXBg2gktOo0jM6Y4x/b7PsEI2xjJ6djiPMSr/LyGp/XK7gO8x5w5xTjp1MXBFAuhcQx\
      GtIjbvSzfHKqaAhYgGBzTmv7apQ0AQNQEgs6h+L0mPp7W0jzsTuTJhIcV59P
      """
    let bytes = try #require(Data(base64Encoded: sealed))
    #expect(FileManager.default.createFile(atPath: path, contents: bytes, attributes: [.posixPermissions: 0o600]))
    let reference = try #require(SecretReference("93f8c0555d02bd07abceff497c9cd5f3"))
    #expect(try vault(Self.key()).secret(for: reference) == KeptSecret("s3cret-1"))
  }

  @Test("A damaged file is one clear error", arguments: [false, true])
  func damaged(isSealed: Bool) throws {
    let key = isSealed ? try Self.key() : nil
    try vault(key).keep(Self.secret, under: references[0])
    let whole = try bytes
    for place in whole.indices {
      var damaged = whole
      damaged[place] ^= 0x20
      for bytes in [damaged, Array(whole[..<place])] {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let failure = #expect(throws: SecretVaultFailure.self) { try vault(key) }
        #expect(failure?.message.contains("vault") == true)
        #expect(failure?.message.contains("s3cret") == false)
      }
    }
    try Data(whole).write(to: URL(fileURLWithPath: path))
    #expect(try vault(key).secret(for: references[0]) == Self.secret)
  }

  @Test("What is no file of its own is refused")
  func foreign() throws {
    let other = folder.path + "/other"
    try vault().keep(Self.secret, under: references[0])
    try FileManager.default.moveItem(atPath: path, toPath: other)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
    #expect(throws: SecretVaultFailure.self) { try vault() }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: SecretVaultFailure.self) { try vault() }
  }

  @Test("A file that others could read is taken from them")
  func rights() throws {
    try vault().keep(Self.secret, under: references[0])
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(try vault().secret(for: references[0]) == Self.secret)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test("What a crash has left beside it does no harm")
  func leftOver() throws {
    try Data("half".utf8).write(to: URL(fileURLWithPath: path + ".new"))
    try vault().keep(Self.secret, under: references[0])
    #expect(try vault().secret(for: references[0]) == Self.secret)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [FileVault.name])
  }

  @Test("Where nothing can be written nothing is kept")
  func unwritable() throws {
    let vault = try vault()
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(throws: SecretVaultFailure.self) { try vault.keep(Self.secret, under: references[0]) }
    #expect(try vault.secret(for: references[0]) == nil)
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
  }

  @Test("A secret that was forgotten while a server replaced it stays forgotten")
  func replacedBehindForgetting() throws {
    let vault = try vault()
    try vault.keep(Self.secret, under: references[0])
    try vault.forget(references[0])
    #expect(vault.replace(KeptSecret("r0tated"), under: references[0]) == nil)
    #expect(try vault.secret(for: references[0]) == nil)
    #expect(try self.vault().secret(for: references[0]) == nil)
  }

  @Test("What a server has replaced is kept in memory while nothing can be written, and written once something can be")
  func replaced() throws {
    let vault = try vault()
    try vault.keep(Self.secret, under: references[0])
    let elsewhere = folder.path + ".away"
    func cut() throws { try FileManager.default.moveItem(atPath: folder.path, toPath: elsewhere) }
    func mend() throws { try FileManager.default.moveItem(atPath: elsewhere, toPath: folder.path) }
    for number in 1...3 {
      try cut()
      let failure = vault.replace(KeptSecret("r0tated \(number)"), under: references[0])
      #expect(failure?.message.contains("r0tated") == false)
      #expect(try vault.secret(for: references[0]) == KeptSecret("r0tated \(number)"))
      // What a client gives is undone as before, and the other stays.
      #expect(throws: SecretVaultFailure.self) { try vault.keep(Self.secret, under: references[1]) }
      #expect(throws: SecretVaultFailure.self) { try vault.writeHeld() }
      #expect(try vault.secret(for: references[1]) == nil)
      #expect(try vault.secret(for: references[0]) == KeptSecret("r0tated \(number)"))
      try mend()
      switch number {
      case 1: try vault.writeHeld()
      case 2: try vault.keep(Self.secret, under: references[2])
      default: #expect(vault.replace(KeptSecret("r0tated 3"), under: references[0]) == nil)
      }
      #expect(try self.vault().secret(for: references[0]) == KeptSecret("r0tated \(number)"))
      let written = try bytes
      try vault.writeHeld()
      #expect(try bytes == written)
    }
  }

  @Test("A key has a sensible length")
  func keys() throws {
    #expect(throws: VaultKey.Fault.self) { try Self.key("0123456789abcde\n\r\n") }
    #expect(throws: VaultKey.Fault.self) { try Self.key(String(repeating: "x", count: 4097)) }
    #expect(throws: VaultKey.Fault.self) { try VaultKey(contentsOfFile: folder.path + "/none") }
    let file = folder.path + "/key"
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: file))
    _ = try VaultKey(contentsOfFile: file)
    #expect(VaultKey.credentialPath(in: ["CREDENTIALS_DIRECTORY": folder.path]) == nil)
    let credential = folder.path + "/" + VaultKey.credentialName
    try FileManager.default.moveItem(atPath: file, toPath: credential)
    #expect(VaultKey.credentialPath(in: ["CREDENTIALS_DIRECTORY": folder.path]) == credential)
    #expect(VaultKey.credentialPath(in: [:]) == nil)
  }

  @Test("No text of a secret says what it is")
  func texts() {
    for text in ["\(Self.secret)", String(reflecting: Self.secret), "\(Optional(Self.secret) as Any)"] {
      #expect(!text.contains("s3cret") && !text.contains("t0ken"))
    }
    var dumped = ""
    dump(Self.secret, to: &dumped)
    #expect(!dumped.contains("s3cret") && !dumped.contains("t0ken"))
  }

  @Test("A vault of memory has no file")
  func memory() throws {
    let vault = MemoryVault()
    try vault.keep(Self.secret, under: references[0])
    try vault.sweep(keeping: [])
    #expect(try vault.secret(for: references[0]) == Self.secret)
    try vault.forget(references[0])
    #expect(try vault.secret(for: references[0]) == nil)
  }
}
