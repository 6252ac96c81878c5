import EngineRuntime
import Flux
import PodfluxCore
import Synchronization
import Testing

@Suite("A request with a secret")
struct SecretDoorTests {
  /// Keeps secrets in memory, or refuses to.
  private final class Door: SecretDoor {
    let kept = Mutex<[SecretReference: KeptSecret]>([:])
    let arrivals = Mutex<Set<SecretReference>>([])
    let refusal: Refusal?

    init(refusing refusal: Refusal? = nil) { self.refusal = refusal }

    func secret(from source: SecretSource, for wish: Session.Wish) throws(Refusal) -> KeptSecret {
      KeptSecret("s3cret")
    }

    func keep(_ secret: KeptSecret) throws(Refusal) -> SecretReference {
      if let refusal { throw refusal }
      return kept.withLock { kept in
        var random = SeededGenerator(seed: UInt64(kept.count))
        let reference = SecretReference(from: &random)
        kept[reference] = secret
        return reference
      }
    }

    func arrived(_ reference: SecretReference) { arrivals.withLock { _ = $0.insert(reference) } }

    func forget(_ reference: SecretReference) { kept.withLock { $0[reference] = nil } }
  }

  private let request: EngineRequest

  init() throws {
    let login = Login(.init(hosts: ["a.example"], kind: .bearer), source: .text("s3cret"))
    let address = try WebAddress("https://a.example/feed")
    request = EngineRequest(.intent(.podcasts(.subscribe(.init(address: address, session: .new(login)))))) { _ in }
  }

  @Test("Leaves it in the vault if the answer says that something was made for it, and nowhere if not")
  func forgetting() throws {
    let id = try #require(FeedID("a"))
    let outcomes: [(Response.Outcome, Int)] = [
      (.reply(.subscribed(id: id, created: true)), 1), (.reply(.subscribed(id: id, created: false)), 0),
      (.refusal(.hasStopped), 0),
    ]
    for (outcome, count) in outcomes {
      let door = Door()
      let kept = request.keepingSecret(with: door)
      guard case .intent(let intent) = kept.content else {
        Issue.record("\(kept.content)")
        continue
      }
      #expect(intent.login?.source == nil && intent.login?.wish.secret != nil)
      #expect(door.kept.withLock(\.count) == 1)
      #expect(door.arrivals.withLock(\.count) == 0)
      kept.completion(Response(outcome: outcome, revision: 1))
      #expect(door.kept.withLock(\.count) == count)
      #expect(door.arrivals.withLock(\.count) == count)
    }
  }

  @Test("Is refused if the secret cannot be kept; a request without a login goes on as it is")
  func refused() throws {
    let refused = request.keepingSecret(with: Door(refusing: .hasStopped))
    guard case .refused(.hasStopped) = refused.content else {
      Issue.record("\(refused.content)")
      return
    }
    let plain = EngineRequest(.intent(.downloads(.pause(.all)))) { _ in }
    guard case .intent(.downloads(.pause(.all))) = plain.keepingSecret(with: Door(refusing: .hasStopped)).content else {
      Issue.record("\(plain.content)")
      return
    }
  }
}
