import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// `podflux verify`: reads completed files again.
struct VerifyCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Reads completed files again; a damaged one goes to quarantine, and its download is failed.",
    discussion: """
      podflux verify --all
      podflux verify "Vienna to Hamburg"

      It ends with 1 if a file is damaged or gone.
      """)

  static let startCleanup = StartCleanup.awaited

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var selection: DownloadSelectionOptions

  func run() throws {
    try withEngine { access, console in
      let chosen = try selection.selection(in: access.connection)
      _ = try access.connection.ask(
        .query(.observe(Observation(state: SnapshotQuery(stores: [.engine]), includesActions: true)))
      ).get()
      let count = try access.affected(by: .downloads(.verify(chosen)))
      let damaged = try wait(for: count, over: access.connection, on: console)
      console.report(count, "verified")
      if damaged > 0 { throw ExitCode.failure }
    }
  }

  /// Waits until so many files have been read. Returns how many are not what they should be.
  private func wait(for count: Int64, over connection: ClientConnection, on console: Console) throws -> Int {
    var (left, damaged) = (count, 0)
    while left > 0, let event = try connection.nextEvent(upTo: nil) {
      guard case .action("downloads/verified", let payload) = event.content else { continue }
      left -= 1
      let verdict = try payload.string("verdict") ?? ""
      guard verdict != "intact" else { continue }
      damaged += 1
      console.complain("\(try payload.string("id") ?? ""): its file is \(verdict)")
    }
    return damaged
  }
}
