import ArgumentParser

/// The library's path.
struct LibraryOption: ParsableArguments {
  @Option(help: "The library's folder; `podflux run` makes it if it is missing.")
  var library: String

  @Option(
    help: """
      The folder of the library's state (database, partial files), if that is on another disk than the library; a library \
      remembers it.
      """)
  var state: String?
}
