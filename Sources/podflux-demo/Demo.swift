import Foundation
import TestSupport

/// `podflux-demo`: fills a library from a server on this machine, kills the engine in the middle, starts it again, and
/// checks every byte.
///
/// Exits with 0 if every check holds, 1 if one fails or the demo breaks off, 64 for wrong usage.
@main
enum Demo {
  private static let usageStatus: Int32 = 64

  static func main() {
    let options: Options
    do {
      options = try Options(CommandLine.arguments.dropFirst())
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(usageStatus)
    }
    guard !options.wantsHelp else { return print(Options.help) }
    exit(tellStory(options) ? EXIT_SUCCESS : EXIT_FAILURE)
  }

  private static func tellStory(_ options: Options) -> Bool {
    let screen = Screen(options.isPlain ? .plain : .auto)
    do {
      let folder = try DemoFolder(isKept: options.isKept)
      defer { folder.leave(screen) }
      let story = try Story(library: folder.libraryPath, screen: screen, isSabotaged: options.isSabotaged)
      let checklist = try story.tell()
      checklist.show(on: screen)
      return checklist.isPassed
    } catch {
      screen.say("✗ The demo broke off: \(error)")
      return false
    }
  }
}

/// The parsed command line.
struct Options {
  static let help = """
    Usage: podflux-demo [--plain] [--keep] [--sabotage]
      --plain     Few plain lines instead of a live table; so it is anyway if stdout is no terminal.
      --keep      Keep the library, and say where it is.
      --sabotage  Change one byte of a published file before the comparison: the demo must notice and fail.
    """

  private(set) var isPlain = false
  private(set) var isKept = false
  private(set) var isSabotaged = false
  private(set) var wantsHelp = false

  struct Mistake: Error, CustomStringConvertible {
    let argument: String

    var description: String { "podflux-demo: there is no option \(argument)\n\(Options.help)" }
  }

  init(_ arguments: some Sequence<String>) throws(Mistake) {
    for argument in arguments {
      switch argument {
      case "--plain": isPlain = true
      case "--keep": isKept = true
      case "--sabotage": isSabotaged = true
      case "--help", "-h": wantsHelp = true
      default: throw Mistake(argument: argument)
      }
    }
  }
}
