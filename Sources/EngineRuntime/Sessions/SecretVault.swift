import Flux
import PodfluxCore

/// Where secrets are kept, apart from everything that is shown, logged or replayed.
///
/// One vault belongs to an open library. Calls may come from several threads.
package protocol SecretVault: AnyObject, Sendable {
  /// The secret under a reference; nil if there is none.
  func secret(for reference: SecretReference) throws(SecretVaultFailure) -> KeptSecret?

  /// Keeps a secret in the place of what was kept under its reference. It survives even a power cut when this returns,
  /// unless the vault is one of memory.
  func keep(_ secret: KeptSecret, under reference: SecretReference) throws(SecretVaultFailure)

  /// The same for a secret that a server has replaced: the former one may be void (RFC 6749 section 6). Where it cannot
  /// be written it is kept in memory, and written with the next change, or by `writeHeld`. Where nothing is kept under
  /// the reference, the secret was forgotten while the server was asked, and nothing is done.
  ///
  /// - Returns: Why it could not be written; nil if it survives.
  func replace(_ secret: KeptSecret, under reference: SecretReference) -> SecretVaultFailure?

  /// Writes what `replace` could not; where that is nothing, it does nothing.
  func writeHeld() throws(SecretVaultFailure)

  /// Deletes what is kept under a reference, if anything is.
  func forget(_ reference: SecretReference) throws(SecretVaultFailure)

  /// Has `sweep` spare these references too: what is kept under them was kept before the vault was opened, and the
  /// sessions that refer to it may be about to come.
  func spare(_ references: Set<SecretReference>)

  /// Deletes everything but what is kept under these references, and but what was kept first since the vault was
  /// opened: the session that refers to it may be about to come.
  func sweep(keeping references: Set<SecretReference>) throws(SecretVaultFailure)
}

/// Why a vault cannot do what it is asked for: one sentence without a secret.
package struct SecretVaultFailure: Error, Hashable, Sendable {
  package let message: String

  package init(_ message: String) {
    self.message = message
  }
}

/// What the vault keeps for a session.
package struct KeptSecret: Hashable, Sendable {
  /// What the client gave: a password, a token, or the token that others are got with (RFC 6749 section 1.5). A server
  /// may replace the last.
  package var secret: String
  /// The token that was got with it last.
  package var access: AccessToken?
  /// Whether it is the path of a netrc file, which has name and password.
  package var isNetrcFile: Bool

  package init(_ secret: String, access: AccessToken? = nil, isNetrcFile: Bool = false) {
    self.secret = secret
    self.access = access
    self.isNetrcFile = isNetrcFile
  }

  /// A token that requests are sent with.
  package struct AccessToken: Hashable, Sendable {
    package var value: String
    /// When it expires; nil if the server has not said.
    package var expires: Timestamp?
    /// Its number in its session.
    package var number: Int64

    package init(_ value: String, expires: Timestamp?, number: Int64) {
      self.value = value
      self.expires = expires
      self.number = number
    }
  }
}

extension KeptSecret: CustomStringConvertible, CustomReflectable {
  /// Nothing of it: a text of it may reach a log.
  package var description: String { "a secret" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension KeptSecret.AccessToken: CustomStringConvertible, CustomReflectable {
  /// No part of the token: a text of it may reach a log.
  package var description: String { "a token" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
