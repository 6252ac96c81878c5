import EngineRuntime
import Flux
import PodfluxCore
import Testing

@Suite("The openings of sessions that are under way")
struct SessionOpeningsTests {
  private final class Shell {
    let opening: SessionOpening
    init(_ opening: SessionOpening) { self.opening = opening }
  }

  private var openings = SessionOpenings<Shell>()
  private let session: SessionID

  init() {
    var random = SeededGenerator(seed: 7)
    session = SessionID(from: &random)
  }

  private func opening(_ generation: Int64, secret: SecretReference? = nil) -> SessionOpening {
    SessionOpening(
      id: .init(session: session, generation: generation),
      wish: .init(hosts: ["example.org"], kind: .refreshing, secret: secret),
      token: generation, takesKept: true, settings: Settings(), route: .any)
  }

  @Test("One begins when the one before has ended, and one that has waited gives way to a later one")
  mutating func oneAfterTheOther() throws {
    let first = try #require(openings.open(opening(1), make: Shell.init).new)
    #expect(openings.open(opening(1), make: Shell.init).new == nil && openings.awaitedCount == 0)
    #expect(openings.open(opening(2), make: Shell.init).new == nil)
    #expect(openings.open(opening(3), make: Shell.init).new == nil)
    #expect(openings[session] === first && openings.awaitedCount == 1)
    let (isTold, next) = openings.end(first.opening.id, make: Shell.init)
    #expect(isTold && next?.opening.id.generation == 3)
    #expect(openings[session] === next && openings.awaitedCount == 0)
    // It has ended once.
    let again = openings.end(first.opening.id, make: Shell.init)
    #expect(!again.isTold && again.next == nil)
  }

  @Test("One that is left is stopped only if the next one has another secret: its server may have replaced the former")
  mutating func otherSecret() throws {
    var random = SeededGenerator(seed: 8)
    let first = try #require(openings.open(opening(1), make: Shell.init).new)
    #expect(openings.open(opening(2, secret: SecretReference(from: &random)), make: Shell.init).obsolete == nil)
    #expect(openings.leave(session) === first)
    #expect(openings.open(opening(3), make: Shell.init).obsolete == nil)
    let other = openings.open(opening(4, secret: SecretReference(from: &random)), make: Shell.init)
    #expect(other.obsolete === first && other.new == nil)
    #expect(openings.end(first.opening.id, make: Shell.init).next?.opening.id.generation == 4)
  }

  @Test("One that is left tells nothing; what waits for it does not begin, what comes later does")
  mutating func left() throws {
    let first = try #require(openings.open(opening(1), make: Shell.init).new)
    #expect(openings.open(opening(2), make: Shell.init).new == nil)
    #expect(openings.leave(session) === first && openings.awaitedCount == 0)
    // The same one once more is another one now.
    #expect(openings.open(opening(1), make: Shell.init).new == nil && openings.awaitedCount == 1)
    let (isTold, next) = openings.end(first.opening.id, make: Shell.init)
    #expect(!isTold && next?.opening.id.generation == 1 && next !== first)
    let second = openings.end(opening(1).id, make: Shell.init)
    #expect(second.isTold && second.next == nil && openings[session] == nil)
    #expect(openings.leave(session) == nil)
  }

  @Test("At the end those under way are to stop, and none begins any more")
  mutating func end() throws {
    let first = try #require(openings.open(opening(1), make: Shell.init).new)
    #expect(openings.open(opening(2), make: Shell.init).new == nil)
    #expect(openings.endAll().map(ObjectIdentifier.init) == [ObjectIdentifier(first)])
    let (isTold, next) = openings.end(first.opening.id, make: Shell.init)
    #expect(!isTold && next == nil)
    #expect(openings.open(opening(3), make: Shell.init).new == nil)
  }
}
