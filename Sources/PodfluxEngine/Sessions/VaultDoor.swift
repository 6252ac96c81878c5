import EngineRuntime
import Foundation
import PodfluxCore
import Synchronization
import Vault

/// The way of clients' secrets into the vault of the library, as long as the engine holds the library. Thread safe.
final class VaultDoor: SecretDoor {
  private enum State {
    case open(any SecretVault)
    case closed(Refusal)
  }

  private let state = Mutex(State.closed(.isSuspended))
  /// The secrets of requests that are not answered yet: no more than wait at a time.
  private let arriving = Mutex<Set<SecretReference>>([])
  private let forgetting = DispatchQueue(label: "podflux.vault", qos: .utility)
  private let netrcFile: String?

  /// - Parameter netrcFile: The file of the user's passwords; nil if there is no place for one.
  init(netrcFile: String?) { self.netrcFile = netrcFile }

  /// Opens the door: the engine holds the library, with this vault.
  func open(_ vault: any SecretVault) {
    vault.spare(arriving.withLock(\.self))
    state.withLock { $0 = .open(vault) }
  }

  /// The library is given up; secrets are refused so. A secret that is on its way is kept when this returns.
  func close(refusing refusal: Refusal) { state.withLock { $0 = .closed(refusal) } }

  func arrived(_ reference: SecretReference) { _ = arriving.withLock { $0.remove(reference) } }

  /// The disk is waited for on another queue.
  func forget(_ reference: SecretReference) {
    arrived(reference)
    forgetting.async { [self] in
      state.withLock { state in
        // What cannot be forgotten now the next start forgets.
        if case .open(let vault) = state { try? vault.forget(reference) }
      }
    }
  }

  /// Forgets the secret of a request that the engine does not get.
  func forgetSecret(of request: EngineRequest) {
    if let secret = request.intent?.login?.wish.secret { forget(secret) }
  }

  func keep(_ secret: KeptSecret) throws(Refusal) -> SecretReference {
    var random = SystemRandomNumberGenerator()
    let reference = SecretReference(from: &random)
    // Held while the vault writes: the library is not given up meanwhile.
    try state.withLock { (state) throws(Refusal) in
      switch state {
      case .closed(let refusal): throw refusal
      case .open(let vault):
        try vault.keep(secret, ofRequestUnder: reference)
        _ = arriving.withLock { $0.insert(reference) }
      }
    }
    return reference
  }

  func secret(from source: SecretSource, for wish: Session.Wish) throws(Refusal) -> KeptSecret {
    switch source {
    case .text(let text): return KeptSecret(text)
    case .file(let path): return KeptSecret(try SecretFile.text(at: path))
    case .netrc:
      guard wish.kind.needsUser else {
        throw Refusal(
          .invalidValue, "a netrc file has names and passwords, for basic and digest only", path: "payload.netrc")
      }
      guard let netrcFile, FileManager.default.isReadableFile(atPath: netrcFile) else {
        throw Refusal(
          .notFound,
          """
          there is no netrc file\(netrcFile.map { " \"\($0)\"" } ?? ""); make it, or name another one: podflux daemon or \
          podflux run with --netrc FILE
          """, path: "payload.netrc")
      }
      return KeptSecret(netrcFile, isNetrcFile: true)
    }
  }
}

enum SecretFile {
  /// The file's text without its final line end. No message repeats any of the text.
  static func text(at path: String) throws(Refusal) -> String {
    func fault(_ what: String) -> Refusal { Refusal(.invalidValue, what, path: "payload.secretFile") }
    let bytes: ArraySlice<UInt8>
    do {
      bytes = try SecretLine.bytes(ofFile: path, atMost: Session.Limits.secretBytes, waits: false)
    } catch {
      throw fault("the file cannot be read; name a regular file that the engine's user may read")
    }
    guard (1...Session.Limits.secretBytes).contains(bytes.count) else {
      throw fault("the file must have a secret of at most \(Session.Limits.secretBytes) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { throw fault("the file must have one line of text") }
    return text
  }
}
