import ArgumentParser
import Terminal

/// How a command speaks to people, or to a program.
struct ConsoleOptions: ParsableArguments {
  @Flag(name: [.customShort("q"), .long], help: "Say nothing beside results and errors.")
  var quiet = false

  @Flag(help: "Print results as lines of JSON.")
  var json = false

  @Option(
    help: "How to show progress on stderr: auto is a table that moves on a terminal, and lines elsewhere.")
  var progress = ProgressChoice.auto

  @Option(help: "Whether to use colors; auto heeds NO_COLOR.")
  var color = ColorChoice.auto

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false
}

extension ProgressChoice: ExpressibleByArgument {}
extension ColorChoice: ExpressibleByArgument {}
