import Flux
import PodfluxCore

/// What clients want of sessions, and what services find out about them.
extension RandomActions {
  /// How many kinds of it there are.
  static let sessionKinds = 4

  mutating func sessionAction(_ kind: Int) -> Action {
    switch kind {
    case 0: .sessions(.open(.init(id: maybe { $0.sessionID() }, login: login(hosts: ["a.example", "[::1]:8080"]))))
    case 1: .sessions(.close(sessionID(), forgetting: once(in: 2)))
    case 2: .session(.opened(opening(), expires: maybe { $0.moment() }))
    default: .session(.failed(opening(), error()))
    }
  }

  /// As a turn sees it: the secret is in the vault.
  mutating func sessionChoice() -> SessionChoice? {
    pick([nil, SessionChoice.none, .known(sessionID()), .new(login(hosts: []))])
  }

  private mutating func login(hosts: [String]) -> Login {
    Login(
      Session.Wish(
        hosts: hosts, kind: pick(Session.Kind.allCases), user: maybe { $0.pick(["", "Zoë \"x\""]) },
        tokenURL: maybe { $0.address() }, parameter: maybe { $0.pick(["auth", "X-Token~1"]) },
        secret: maybe { SecretReference(from: &$0.random) }))
  }

  private mutating func sessionID() -> SessionID { SessionID(from: &random) }

  private mutating func opening() -> SessionOpening.ID { .init(session: sessionID(), generation: number()) }
}
