import ArgumentParser

/// `podflux completion`: the script by which a shell completes commands, options and titles.
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Prints the completions for a shell; titles come from the library.",
    discussion: """
      podflux completion bash > ~/.local/share/bash-completion/completions/podflux
      podflux completion zsh > ~/.zfunc/_podflux
      podflux completion fish > ~/.config/fish/completions/podflux.fish
      """)

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    var completionShell: CompletionShell {
      switch self {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    }
  }

  @Argument(help: "The shell.")
  var shell: Shell

  func run() throws {
    let script = Podflux.completionScript(for: shell.completionShell)
    try writeResult(Array((script.hasSuffix("\n") ? script : script + "\n").utf8))
  }
}
