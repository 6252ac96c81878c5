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

      It ends with 1 if a file is damaged or gone, or cannot be read. One that another program has edited stays as it is.
      """)

  static let startCleanup = StartCleanup.awaited

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var selection: DownloadSelectionOptions

  func run() throws {
    try withEngine { access, console in
      let chosen = try selection.selection(in: access.connection)
      let lost = try followMovedFiles(of: chosen, with: access)
      for file in lost { console.complain("\(file.id): \(file.reason)") }
      // What has failed by that is passed over in a list.
      let left = if case .one(let id) = chosen, !lost.isEmpty { DownloadIntent.Selection.many([id]) } else { chosen }
      let verdicts = try access.verify(left, besides: lost.count) { console.complain($0) }
      if console.options.json { console.result(verdicts.json) } else { console.note(verdicts.words) }
      if verdicts.haveFaults { throw ExitCode.failure }
    }
  }

  private func followMovedFiles(
    of chosen: DownloadIntent.Selection, with access: EngineAccess
  ) throws -> [EngineAccess.LostFile] {
    var gone: Set<String> = []
    try selection.forEach(chosen, fields: [.id, .path, .state], in: access.connection) { item in
      if item.state == .completed, let path = item.path, access.isGone(path) { gone.insert(item.id) }
      return true
    }
    return gone.isEmpty ? [] : try access.followMovedFiles(gone.contains)
  }
}
