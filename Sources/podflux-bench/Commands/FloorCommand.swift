import ArgumentParser
import Foundation

/// `podflux-bench floor`: fetches a list of URLs as cheaply as libcurl allows, so that its CPU time is counted apart.
struct FloorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "floor", abstract: "Fetches a list of URLs with libcurl alone.", shouldDisplay: false)

  @Argument(help: "A file with a URL on each line.")
  var list: String

  @Argument(help: "The folder for the files.")
  var folder: String

  @Argument(help: "How many are fetched at once.")
  var count: Int

  func run() throws {
    let urls = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map(String.init)
    try Floor.work(urls, into: folder, atOnce: count)
  }
}
