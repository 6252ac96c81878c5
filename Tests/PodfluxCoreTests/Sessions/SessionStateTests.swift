import Flux
import Testing

@testable import PodfluxCore

@Suite("The states of a session")
struct SessionStateTests {
  private static let error = DownloadError(.unauthorized, "no")
  private static let states: [SessionState] = [
    .created(isCached: false), .opening(.init(isRenewal: false, takesKept: false)),
    .opening(.init(isRenewal: true, takesKept: false)), .open, .extended, .closed, .loginFailed(error),
  ]

  /// The ways, by number: from each row to each column.
  private static let ways = [
    // created, opening, renewing, open, extended, closed, loginFailed
    [1, 1, 0, 0, 0, 1, 0],  // created
    [1, 1, 0, 1, 0, 1, 1],  // opening
    [1, 0, 1, 0, 1, 1, 1],  // renewing
    [1, 0, 1, 0, 0, 1, 1],  // open
    [1, 0, 1, 0, 0, 1, 1],  // extended
    [1, 0, 0, 0, 0, 0, 0],  // closed
    [1, 0, 0, 0, 0, 1, 0],  // loginFailed
  ]

  @Test("The table has these ways and no others")
  func table() {
    for (row, state) in Self.states.enumerated() {
      for (column, next) in Self.states.enumerated() {
        #expect(state.canBecome(next) == (Self.ways[row][column] == 1), "\(state.kind) to \(next.kind)")
      }
    }
  }

  @Test("A token is renewed half a minute before it expires, and a short one in the middle of its time")
  func margin() throws {
    let now = Timestamp(milliseconds: 1_000_000)
    func session(seconds: Int64) throws -> Session {
      Session(
        key: 1, id: try #require(SessionID("s")), wish: .init(hosts: ["a.example"], kind: .refreshing), state: .open,
        since: now, expires: now.advanced(byMilliseconds: seconds * 1000))
    }
    let long = try session(seconds: 3600)
    #expect(long.isUsable(at: now.advanced(byMilliseconds: 3_569_999)))
    #expect(!long.isUsable(at: now.advanced(byMilliseconds: 3_570_000)))
    let short = try session(seconds: 10)
    #expect(short.isUsable(at: now.advanced(byMilliseconds: 4_999)))
    #expect(!short.isUsable(at: now.advanced(byMilliseconds: 5_000)))
    var fixed = long
    fixed.wish.kind = .bearer
    #expect(fixed.isUsable(at: now.advanced(byMilliseconds: 9_000_000)))
  }

  @Test("A reference has 32 hexadecimal digits, and an id follows the rule of ids")
  func names() {
    var random = SeededGenerator(seed: 1, index: 1)
    let reference = SecretReference(from: &random)
    #expect(SecretReference(reference.description) == reference)
    #expect(SecretReference("ABCDEF00000000000000000000000000") == nil)
    #expect(SecretReference("00") == nil)
    #expect(SessionID(".a") == nil)
    #expect(SessionID(from: &random).description.hasPrefix("s-"))
  }
}
