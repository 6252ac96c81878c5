/// A program of another package, which is made of pieces of documentation: each is the body of a function.
struct EmbeddingProgram {
  private(set) var text = given
  /// How many pieces the program has.
  private(set) var count = 0

  /// Adds a piece. What the compiler says of it names this file, and counts lines from this one.
  mutating func add(_ code: String, from file: String, line: Int = 1) {
    count += 1
    text += """
      func piece\(count)() async throws {
      #sourceLocation(file: "\(file)", line: \(line))
      \(code)
      #sourceLocation()
      }

      """
  }

  /// The modules that a program can import, and the values that pieces take over from the text around them, by their
  /// names.
  private static let given = """
    import Flux
    import Foundation
    import Observation
    import PodfluxCore
    import PodfluxEngine
    import Tagging

    func given<Value>() -> Value { fatalError() }

    let (podflux, otherLibrary): (Podflux, Podflux) = given()
    nonisolated(unsafe) var configuration: EngineConfiguration = given()
    let (folder, url): (String, String) = given()
    let (id, address): (DownloadID, WebAddress) = given()
    let continuation: AsyncStream<Void>.Continuation = given()
    let (snapshot, settings, network): (Snapshot, Settings, NetworkState) = given()
    let (downloads, item, download): (DownloadsSnapshot, DownloadsSnapshot.Item, Download) = given()
    let (feeds, feed): (FeedsSnapshot, Feed) = given()
    let (episodes, episode): (EpisodesSnapshot, Episode) = given()
    let (filters, session): (FiltersSnapshot, Session) = given()
    let (cleanup, run, step): (CleanupSnapshot, CleanupRun, CleanupStep) = given()
    let (reply, error, plan): (Reply, DownloadError, RulesPlan) = given()

    // Of Flux, with the store that its `Store` shows.
    struct Counter: Store {
      struct Refusal: Error {}
      enum Action: ActionProtocol {
        case add(Int)
        var isReading: Bool { false }
      }
      var sum = 0
      mutating func handle(_ action: Action, in turn: inout Turn<Void, Never, Never>, reading _: Void) throws -> Int? {
        sum
      }
    }
    nonisolated(unsafe) var dispatcher: Dispatcher<Counter> = given()
    nonisolated(unsafe) let ledger: any Ledger<Void> = given()
    let (clock, mailbox): (ClockReading, Mailbox<Int, String, Double>) = given()


    """
}
