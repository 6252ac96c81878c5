import PodfluxCore

/// The way of clients' secrets into the vault: before a turn sees an intent, a reference stands in the place of its
/// secret.
///
/// The product reads secrets from requests, files and netrc, the simulator from requests alone.
package protocol SecretDoor: Sendable {
  /// Reads a secret from where the client has it.
  ///
  /// - Throws: `Refusal` of the request if it cannot be read. It repeats nothing of the secret.
  func secret(from source: SecretSource, for wish: Session.Wish) throws(Refusal) -> KeptSecret

  /// Keeps a secret durably, under a new reference. Until it has arrived or is forgotten no vault that is opened
  /// meanwhile sweeps it: its request may be answered behind a suspension.
  ///
  /// - Throws: `Refusal` of the request if the vault cannot be written, or is closed.
  func keep(_ secret: KeptSecret) throws(Refusal) -> SecretReference

  /// A session refers to the secret now. Does not wait for the disk.
  func arrived(_ reference: SecretReference)

  /// Forgets a secret that nothing refers to. It may be done later; what the vault cannot forget the next start
  /// forgets.
  func forget(_ reference: SecretReference)
}

extension SecretDoor {
  /// The intent with a reference in the place of its secret, if it has one: that is in the vault then, durably.
  package func takingSecret(of intent: Intent) throws(Refusal) -> Intent {
    guard let login = intent.login else { return intent }
    // A reference from a client would give it the secret of another session.
    guard login.wish.secret == nil else {
      throw Refusal(.unknownField, "references to secrets are the engine's own", path: "payload.secretReference")
    }
    if login.wish.kind.needsUser, login.wish.user?.isEmpty == true, login.source != .netrc {
      throw Refusal(
        .invalidValue, "the name of the user is empty; give it, or leave it out with netrc", path: "payload.user")
    }
    let intent = try intent.movingParameter()
    do {
      return try intent.keepingSecret { source, wish in try keep(secret(from: source, for: wish)) }
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw Refusal(.storageFailure, "the secret cannot be kept", path: "payload")
    }
  }
}

extension SecretVault {
  /// Keeps the secret of a client's request; the request is refused if the vault cannot be written.
  package func keep(_ secret: KeptSecret, ofRequestUnder reference: SecretReference) throws(Refusal) {
    do throws(SecretVaultFailure) {
      try keep(secret, under: reference)
    } catch {
      throw Refusal(.storageFailure, error.message, path: "payload")
    }
  }
}

extension EngineRequest {
  /// The request with its secret in the vault, or refused if it cannot be there. When the engine has answered that the
  /// secret is of no use, it is forgotten.
  package func keepingSecret(with door: some SecretDoor) -> EngineRequest {
    guard let intent, intent.login != nil else { return self }
    do throws(Refusal) {
      let taken = try door.takingSecret(of: intent)
      return EngineRequest(.intent(taken), by: client) { [completion] response in
        completion(response)
        guard let secret = taken.login?.wish.secret else { return }
        // A refused request, or one for something that was there before, has left its secret with no session.
        if response.outcome.takesSecret { door.arrived(secret) } else { door.forget(secret) }
      }
    } catch {
      return EngineRequest(.refused(error), by: client, completion: completion)
    }
  }
}

extension Response.Outcome {
  /// Whether a request with a login that came to this has left its secret with a session.
  fileprivate var takesSecret: Bool {
    switch self {
    case .reply(.enqueued(_, created: false)), .reply(.subscribed(_, created: false)), .refusal: false
    case .reply, .answer: true
    }
  }
}
