import ArgumentParser
import PodfluxCore

/// `podflux clean`: compares rows and files.
struct CleanCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "Compares what the library knows with the files that are there, and repairs differences.",
    discussion: """
      podflux clean --plan
      podflux clean --orphans quarantine

      It moves and deletes no file that a person could miss, unless --orphans or the setting orphans says so. With --orphans delete
      it asks on a terminal before it deletes more than ten files, and else needs -y.
      """)

  static let startCleanup = StartCleanup.none

  static let afterInterruption = RunReport.afterInterruption

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Flag(help: "Print what would be done, and change nothing.")
  var plan = false

  @Flag(help: "Compare the contents of files too, which reads all of them.")
  var deep = false

  @Option(help: "What to do with files that no download knows; otherwise the setting orphans.")
  var orphans: CleanupOptions.Orphans?

  @Option(help: "What to do with downloads whose files are gone.")
  var missing = CleanupOptions.Missing.forget

  func run() throws {
    try withEngine { access, console in
      func request(_ mode: CleanupOptions.Mode, isDeep: Bool) -> Intent {
        .cleanup(.run(CleanupRequest(mode: mode, missing: missing, orphans: orphans, isDeep: isDeep)))
      }
      if orphans == .delete, !plan, !console.options.yes {
        let deletions = try RunReport(of: request(.plan, isDeep: false), with: access).deletedOrphans
        if deletions > Console.unquestionedDeletions {
          let what = "\(deletions) files that no download knows"
          try console.confirm(
            "Delete \(what)? They do not go to the quarantine.",
            otherwise: "\(what) would be deleted, which --plan names")
        }
      }
      let report = try RunReport(of: request(plan ? .plan : .apply, isDeep: deep), with: access)
      try report.tell(on: console, isPlan: plan, nothing: "rows and files agree")
    }
  }
}

extension CleanupOptions.Orphans: ExpressibleByArgument {}
extension CleanupOptions.Missing: ExpressibleByArgument {}
