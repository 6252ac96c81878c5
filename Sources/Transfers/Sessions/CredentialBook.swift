import EngineRuntime
import PodfluxCore
import Synchronization

/// What the requests of open sessions are sent with. Thread safe; each call takes microseconds.
final class CredentialBook: Sendable {
  private let credentials = Mutex<[SessionID: SessionCredentials]>([:])

  /// The credentials of a session; nil where it is not open.
  subscript(session: SessionID) -> SessionCredentials? { credentials.withLock { $0[session] } }

  /// From now on requests get these.
  func adopt(_ new: SessionCredentials) { credentials.withLock { $0[new.session] = new } }

  /// From now on requests of this session get none.
  func leave(_ session: SessionID) { credentials.withLock { $0[session] = nil } }
}
