import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal
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

  // A cleanup would forget the very downloads whose files are gone.
  static let startCleanup = StartCleanup.none

  // No command waits for what another one has had read.
  static let afterInterruption =
    "the engine that runs, or the next one, reads the files that are left; podflux ls --state failed then shows what was "
    + "damaged"

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var selection: DownloadSelectionOptions

  func run() throws {
    try withEngine { access, console in
      let chosen = try selection.selection(in: access.connection)
      var (ids, gone) = try completed(of: chosen, with: access)
      let lost = gone.isEmpty ? [] : try access.followMovedFiles(gone.contains)
      for file in lost { console.complain("\(file.id): \(file.reason)") }
      // Downloads whose files are lost have failed by now, and are not read.
      let lostIDs = Set(lost.map(\.id))
      ids.removeAll { lostIDs.contains($0.description) }
      if case .one(let id) = chosen, ids.isEmpty, lost.isEmpty {
        // The engine says why it cannot be read.
        try access.order(.downloads(.verify(chosen)))
        ids = [id]
      }
      let tellsProgress = console.mode.progress != .none && !console.options.json
      let verdicts = try access.verify(ids, besides: lost.count) { fault in
        console.complain(fault)
      } onProgress: { words in
        if tellsProgress { console.errors.write(line: PlainReport.line("progress", words)) }
      }
      if console.options.json { console.result(verdicts.json) } else { console.note(verdicts.words) }
      if verdicts.haveFaults { throw ExitCode.failure }
    }
  }

  /// The completed ones of the chosen downloads, and those among them without a file at their recorded path.
  private func completed(
    of chosen: DownloadIntent.Selection, with access: EngineAccess
  ) throws -> (ids: [DownloadID], gone: Set<String>) {
    var (ids, gone) = ([DownloadID](), Set<String>())
    try access.connection.forEachDownload(of: chosen, fields: [.id, .path, .state]) { item in
      guard item.state == .completed, let id = DownloadID(item.id) else { return true }
      ids.append(id)
      if let path = item.path, access.isGone(path) { gone.insert(item.id) }
      return true
    }
    return (ids, gone)
  }
}
